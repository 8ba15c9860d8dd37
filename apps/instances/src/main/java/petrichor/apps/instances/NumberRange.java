package petrichor.apps.instances;

import petrichor.base.PetrichorException;

/** Ports or user ids, both ends included. */
public record NumberRange(int first, int last) {
    public NumberRange {
        if (first < 1 || last < first) {
            throw PetrichorException.invalid(
                    "the range from {first} to {last} is empty or not positive",
                    "first",
                    first,
                    "last",
                    last);
        }
    }

    int size() {
        return last - first + 1;
    }
}
