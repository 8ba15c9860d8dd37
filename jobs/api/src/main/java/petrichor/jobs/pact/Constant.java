package petrichor.jobs.pact;

import petrichor.base.PetrichorException;

/**
 * User code hands a field on unchanged: whatever record it emits for a record (or group, or pair)
 * has in field {@code to} what field {@code from} of input {@code input} had there.
 */
public record Constant(int input, int from, int to) {
    public Constant {
        if (input < 0 || from < 0 || to < 0) {
            throw PetrichorException.invalid("a constant field cannot have a negative position");
        }
    }
}
