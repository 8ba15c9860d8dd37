package petrichor.cluster;

import petrichor.base.PetrichorException;

/** What came of a call to another server. */
sealed interface Reply {
    record Answer(byte[] message) implements Reply {}

    /** It was executed, or may have been: the response for the client. */
    record Failed(PetrichorException failure) implements Reply {}

    /** Surely nothing was done: the server is not the owner, or it was never reached. */
    record NotDone(String why) implements Reply {}
}
