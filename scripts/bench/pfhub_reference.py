"""The free energy of PFHub's benchmark problem 1a by a Fourier method of its own: ETDRK4 (Kassam and Trefethen 2005) of
all of 200^2 waves, the products of f'(c) by 400^2 points so that they are not aliased.

    pfhub_reference.py DT END [N]  > FILE.csv        times 1, 10, 100 ... and the energy then"""
import sys

import numpy as np


def weights(z):
    """ETDRK4's, by the mean over a circle around each z = dt L."""
    r = z[..., None] + np.exp(2j*np.pi*(np.arange(32) + 0.5)/32)
    e = np.exp(r)
    q = ((np.exp(r/2) - 1)/r).mean(-1).real
    f1 = ((-4 - r + e*(4 - 3*r + r**2))/r**3).mean(-1).real
    f2 = ((2 + r + e*(r - 2))/r**3).mean(-1).real
    f3 = ((-4 - 3*r - r**2 + e*(4 - r))/r**3).mean(-1).real
    return q, f1, f2, f3


dt, end = float(sys.argv[1]), float(sys.argv[2])
n = int(sys.argv[3]) if len(sys.argv) > 3 else 200
M, kappa, fine = 5.0, 2.0, 2*n
x = 200.0*np.arange(n)/n
X, Y = np.meshgrid(x, x)
c = 0.5 + 0.01*(np.cos(0.105*X)*np.cos(0.11*Y) + (np.cos(0.13*X)*np.cos(0.087*Y))**2
                + np.cos(0.025*X - 0.15*Y)*np.cos(0.07*X - 0.02*Y))
k = 2*np.pi*np.fft.fftfreq(n, 200.0/n)
kx = 2*np.pi*np.fft.rfftfreq(n, 200.0/n)
k2 = kx[None, :]**2 + k[:, None]**2
L = -M*kappa*k2**2
z = dt*L
E, E2 = np.exp(z), np.exp(z/2)
Q, f1, f2, f3 = (dt*w for w in weights(z))


def on_fine(v):
    """The values of waves v at the points of the fine grid."""
    wide = np.zeros((fine, fine//2 + 1), complex)
    wide[:n//2, :n//2] = v[:n//2, :n//2]
    wide[-n//2 + 1:, :n//2] = v[-n//2 + 1:, :n//2]
    return np.fft.irfft2(wide, s=(fine, fine))*(fine/n)**2


def nonlinear(v):
    u = on_fine(v)
    wide = np.fft.rfft2(10*(u - 0.3)*(0.7 - u)*(1 - 2*u))/(fine/n)**2
    out = np.zeros_like(v)
    out[:n//2, :n//2] = wide[:n//2, :n//2]
    out[-n//2 + 1:, :n//2] = wide[-n//2 + 1:, :n//2]
    return -M*k2*out


def energy(v):
    u = on_fine(v)
    weight = np.full(kx.shape, 2.0)
    weight[0] = 1.0
    gradient = (weight*k2*np.abs(v)**2).sum()/n**4*200.0**2
    return (5*(u - 0.3)**2*(0.7 - u)**2).mean()*200.0**2 + kappa/2*gradient


v = np.fft.rfft2(c)
print("method,n,dt,t,energy")
steps, told = round(end/dt), [round(t/dt) for t in (1, 10, 100, 1000, 10000)]
for step in range(1, steps + 1):
    N0 = nonlinear(v)
    a = E2*v + Q*N0
    Na = nonlinear(a)
    b = E2*v + Q*Na
    Nb = nonlinear(b)
    d = E2*a + Q*(2*Nb - N0)
    v = E*v + f1*N0 + 2*f2*(Na + Nb) + f3*nonlinear(d)
    if step in told or step == steps:
        print(f"etdrk4,{n},{dt},{step*dt:g},{energy(v):.10g}", flush=True)
