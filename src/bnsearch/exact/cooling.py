"""Temperatures of the smoothed bound."""

from __future__ import annotations

from dataclasses import dataclass

FIRST_PEAK = 0.02
FIRST_FACTOR = 0.85  # from a temperature to the next one in the first cycle
END = 1e-6
MIN_PEAK = 1e-4
PEAK_FACTOR = 0.1  # from the peak of a cycle to that of the next
SLOWER = 0.7  # exponent of the cooling factor from a cycle to the next
MAX_MOVING = 10  # rounds at a temperature while a multiplier is far from its best value
MAX_ROUNDS = 4  # rounds at a temperature while many new clusters are found


@dataclass
class Cooling:
    """
    Temperatures in cycles of geometric cooling. Each cycle starts at a lower peak and is slower.

    A high temperature leads the multipliers away from points where coordinate steps stop. The smoothed bound is
    accurate at a low temperature only.

    Parameters
    ----------
    scale : unit of all temperatures: the mean loss of a variable's local score without parents
    """

    scale: float
    factor: float = FIRST_FACTOR
    peak: float = FIRST_PEAK
    relative: float = FIRST_PEAK
    rounds: int = 0
    held: int = 0

    @property
    def temperature(self) -> float:
        """The current temperature."""
        return self.relative * self.scale

    def restart(self) -> None:
        """Begin again with the first cycle: multipliers that were cooled for another table hardly move otherwise."""
        self.relative, self.peak, self.factor, self.held = FIRST_PEAK, FIRST_PEAK, FIRST_FACTOR, 0

    def advance(self, *, is_growing: bool, is_moving: bool) -> bool:
        """
        Set the temperature of the next round, and return True if a cycle has ended.

        is_growing : True if the last round found many new clusters
        is_moving : True if a multiplier has changed by much more than the temperature
        """
        self.rounds += 1
        self.held += 1
        if (is_growing and self.held < MAX_ROUNDS) or (is_moving and self.held < MAX_MOVING):
            return False
        self.held = 0
        self.relative *= self.factor
        if self.relative >= END:
            return False
        self.peak = max(MIN_PEAK, self.peak * PEAK_FACTOR)
        self.relative = self.peak
        self.factor **= SLOWER
        return True
