package petrichor.jobs.pact;

import petrichor.base.PetrichorException;

/**
 * A constant field: user code passes it on unchanged. Every record emitted for a record (or group,
 * or pair) has in field {@code to} the value of field {@code from} of input {@code input}.
 */
public record Constant(int input, int from, int to) {
    public Constant {
        if (input < 0 || from < 0 || to < 0) {
            throw PetrichorException.invalid("a constant field cannot have a negative position");
        }
    }
}
