// ProcessPrng for Wine before version 9, which lacks it. Go programs take their random numbers from it.
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID data, ULONG size); // RtlGenRandom

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
	return SystemFunction036(data, (ULONG)size);
}
