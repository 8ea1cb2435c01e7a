{{- define "verdict.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "verdict.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "verdict.labels" -}}
{{ include "verdict.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "verdict.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "verdict.environment" -}}
- name: VERDICT_DATABASE_URL
  valueFrom:
    secretKeyRef: {name: {{ .Values.secret.name }}, key: {{ .Values.secret.databaseURL }}}
- {name: VERDICT_MASTER_KEY, value: "file:/keys/{{ .Values.secret.masterKey }}"}
- {name: VERDICT_LOG_KEY, value: "/keys/{{ .Values.secret.logKey }}"}
- {name: VERDICT_LOG_SIGNED, value: /data}
- {name: VERDICT_ADDR, value: ":8080"}
- {name: VERDICT_METRICS_ADDR, value: ":{{ .Values.metrics.port }}"}
- {name: VERDICT_SHUTDOWN_DELAY, value: 5s}
{{- with .Values.trustedProxies }}
- {name: VERDICT_TRUSTED_PROXIES, value: {{ . | quote }}}
{{- end }}
{{- range $name, $value := .Values.settings }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end -}}

{{- define "verdict.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "verdict.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}
