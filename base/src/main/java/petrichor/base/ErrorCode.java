package petrichor.base;

/**
 * The kind of failure, from which a caller decides what to do next. The names and meanings are
 * those of Google's canonical codes (google.rpc.Code), so that a front end maps them one to one.
 */
public enum ErrorCode {
    /** The caller's request can never succeed as it stands. */
    INVALID_ARGUMENT,
    /** What was named does not exist. */
    NOT_FOUND,
    /** What was to be created exists. */
    ALREADY_EXISTS,
    /** The system is not in the state that the request needs, e.g. an index is missing. */
    FAILED_PRECONDITION,
    /** The transaction lost against another one; a new attempt may succeed. */
    ABORTED,
    /** A named limit was hit. */
    RESOURCE_EXHAUSTED,
    /** The caller is not who it needs to be. */
    UNAUTHENTICATED,
    /** The caller is known and may not do this. */
    PERMISSION_DENIED,
    /** Not now; the same request may succeed later. */
    UNAVAILABLE,
    /** The time given was not enough; the outcome of a write is unknown. */
    DEADLINE_EXCEEDED,
    /** Not offered. */
    UNIMPLEMENTED,
    /** A defect of ours or a broken store. */
    INTERNAL
}
