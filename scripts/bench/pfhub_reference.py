"""The free energy of PFHub's benchmark problems 1a (periodic) and 1b (no flux) by a spectral method of its own: ETDRK4
(Kassam and Trefethen 2005) of n^2 waves, those of Fourier or cosines, the products of f'(c) by (2n)^2 points so that
they are not aliased. 1b needs SciPy.

    pfhub_reference.py PROBLEM DT END [N]  > FILE.csv        times 1, 10, 100 ... and the energy then"""
import sys

import numpy as np

M, kappa, length = 5.0, 2.0, 200.0


def initial(x):
    X, Y = np.meshgrid(x, x)
    return 0.5 + 0.01*(np.cos(0.105*X)*np.cos(0.11*Y) + (np.cos(0.13*X)*np.cos(0.087*Y))**2
                       + np.cos(0.025*X - 0.15*Y)*np.cos(0.07*X - 0.02*Y))


class Periodic:
    """Waves of Fourier: rfft2 of the values at n^2 points."""

    def __init__(self, n):
        self.n, self.fine = n, 2*n
        k = 2*np.pi*np.fft.fftfreq(n, length/n)
        kx = 2*np.pi*np.fft.rfftfreq(n, length/n)
        self.k2 = kx[None, :]**2 + k[:, None]**2
        self.weight = np.full(kx.shape, 2.0)
        self.weight[0] = 1.0

    def begin(self):
        return np.fft.rfft2(initial(length*np.arange(self.n)/self.n))

    def on_fine(self, v):
        """The values of waves v at the points of the fine grid."""
        n, fine = self.n, self.fine
        wide = np.zeros((fine, fine//2 + 1), complex)
        wide[:n//2, :n//2] = v[:n//2, :n//2]
        wide[-n//2 + 1:, :n//2] = v[-n//2 + 1:, :n//2]
        return np.fft.irfft2(wide, s=(fine, fine))*(fine/n)**2

    def from_fine(self, u):
        n, fine = self.n, self.fine
        wide = np.fft.rfft2(u)/(fine/n)**2
        out = np.zeros(self.k2.shape, complex)
        out[:n//2, :n//2] = wide[:n//2, :n//2]
        out[-n//2 + 1:, :n//2] = wide[-n//2 + 1:, :n//2]
        return out

    def squared_gradient(self, v):
        """Its mean."""
        return (self.weight*self.k2*np.abs(v)**2).sum()/self.n**4


class Closed:
    """Cosines, of which none has a slope at a wall: orthonormal coefficients of values amid n^2 cells. The initial
    value has slopes there; it is taken from 16 times as many cells along each axis."""

    def __init__(self, n):
        import scipy.fft
        self.fft, self.n, self.fine = scipy.fft, n, 2*n
        k = np.pi*np.arange(n)/length
        self.k2 = k[None, :]**2 + k[:, None]**2

    def of(self, u):
        n, fine = self.n, len(u)
        return self.fft.dctn(u, norm="ortho")[:n, :n]*(n/fine)

    def begin(self):
        many = 16*self.n
        return self.of(initial(length*(np.arange(many) + 0.5)/many))

    def on_fine(self, v):
        wide = np.zeros((self.fine, self.fine))
        wide[:self.n, :self.n] = v
        return self.fft.idctn(wide, norm="ortho")*(self.fine/self.n)

    def from_fine(self, u):
        return self.of(u)

    def squared_gradient(self, v):
        return (self.k2*v**2).sum()/self.n**2


def weights(z):
    """ETDRK4's, by the mean over a circle around each z = dt L."""
    r = z[..., None] + np.exp(2j*np.pi*(np.arange(32) + 0.5)/32)
    e = np.exp(r)
    q = ((np.exp(r/2) - 1)/r).mean(-1).real
    f1 = ((-4 - r + e*(4 - 3*r + r**2))/r**3).mean(-1).real
    f2 = ((2 + r + e*(r - 2))/r**3).mean(-1).real
    f3 = ((-4 - 3*r - r**2 + e*(4 - r))/r**3).mean(-1).real
    return q, f1, f2, f3


dt, end = float(sys.argv[2]), float(sys.argv[3])
waves = {"1a": Periodic, "1b": Closed}[sys.argv[1]](int(sys.argv[4]) if len(sys.argv) > 4 else 200)
z = -dt*M*kappa*waves.k2**2
E, E2 = np.exp(z), np.exp(z/2)
Q, f1, f2, f3 = (dt*w for w in weights(z))


def nonlinear(v):
    u = waves.on_fine(v)
    return -M*waves.k2*waves.from_fine(10*(u - 0.3)*(0.7 - u)*(1 - 2*u))


def energy(v):
    u = waves.on_fine(v)
    return ((5*(u - 0.3)**2*(0.7 - u)**2).mean() + kappa/2*waves.squared_gradient(v))*length**2


v = waves.begin()
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
        print(f"etdrk4,{waves.n},{dt},{step*dt:g},{energy(v):.10g}", flush=True)
