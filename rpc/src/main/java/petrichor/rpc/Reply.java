package petrichor.rpc;

import petrichor.base.PetrichorException;

/** Outcome of a call to another server. */
sealed interface Reply {
    record Answer(byte[] message) implements Reply {}

    /** It was executed, or may have been: the failure for the client. */
    record Failed(PetrichorException failure) implements Reply {}

    /**
     * Certainly not executed: the server is not the owner, refused the call, or was never reached.
     */
    record NotDone(String why) implements Reply {}
}
