package petrichor.services.search;

import petrichor.base.PetrichorException;

/** What became of one document of a call. */
public sealed interface WriteOutcome {
    /** Durable, and visible to every later search. */
    record Written(String id) implements WriteOutcome {}

    /** There was no such document to delete. */
    record Missing(String id) implements WriteOutcome {}

    /** Nothing was written. */
    record Refused(PetrichorException reason) implements WriteOutcome {}
}
