package petrichor.services.images;

import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;

/**
 * Memory and deadline of one request. Confined to its thread.
 *
 * @param memory holds the pixels until the request is done
 */
record Work(MemoryBudget.Reservation memory, Cancellation cancellation) {
    /** RESOURCE_EXHAUSTED if the budget has too little left. */
    void reserve(long bytes) {
        check();
        if (!memory.add(bytes)) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the server has too little memory left for an image of {bytes} bytes; retry"
                            + " later, or use a smaller image",
                    "bytes",
                    bytes);
        }
    }

    void check() {
        cancellation.check();
    }
}
