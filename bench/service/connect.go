package service

import (
	"fmt"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"
)

// requests returns the requests to send as bytes, including their headers.
func requests(order loadOrder) [][]byte {
	var list [][]byte
	for _, body := range Bodies() {
		r := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\n",
			order.Path, order.Address, len(body))
		if order.Key != "" {
			r = append(r, "Authorization: Bearer "+order.Key+"\r\n"...)
		}
		list = append(list, slices.Concat(r, []byte("\r\n"), body))
	}
	return list
}

func (g *generator) connect() (err error) {
	at, err := netip.ParseAddrPort(g.order.Address)
	if err != nil {
		return fmt.Errorf("read the address: %w", err)
	}
	if g.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return fmt.Errorf("create an epoll instance: %w", err)
	}
	g.conns = make([]connection, g.order.Connections)
	for i := range g.conns {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err == nil {
			err = unix.Connect(fd, &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()})
		}
		if err == nil {
			err = unix.SetNonblock(fd, true)
		}
		if err == nil {
			err = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		}
		if err == nil {
			event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(i)}
			err = unix.EpollCtl(g.epoll, unix.EPOLL_CTL_ADD, fd, &event)
		}
		if err != nil {
			return fmt.Errorf("connect: %w", err)
		}
		g.conns[i] = connection{fd: fd, buffer: make([]byte, 64<<10), body: make([]byte, 0, 64<<10)}
	}
	return nil
}
