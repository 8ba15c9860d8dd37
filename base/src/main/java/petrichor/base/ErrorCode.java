package petrichor.base;

/**
 * The kind of failure, from which a caller decides what to do next. The names and meanings are
 * those of Google's canonical codes (google.rpc.Code), so that a front end maps them one to one.
 */
public enum ErrorCode {
    /** The caller's request is invalid and can never succeed. */
    INVALID_ARGUMENT,
    /** The named object does not exist. */
    NOT_FOUND,
    /** The object to create already exists. */
    ALREADY_EXISTS,
    /** The system is not in the state that the request needs, e.g. an index is missing. */
    FAILED_PRECONDITION,
    /** The transaction lost a conflict with another one; a new attempt may succeed. */
    ABORTED,
    /** A named limit was reached. */
    RESOURCE_EXHAUSTED,
    /** The caller is not authenticated. */
    UNAUTHENTICATED,
    /** The caller is authenticated but lacks the permission. */
    PERMISSION_DENIED,
    /** Temporarily unavailable; the same request may succeed later. */
    UNAVAILABLE,
    /** The deadline passed; the outcome of a write is unknown. */
    DEADLINE_EXCEEDED,
    /** Not supported. */
    UNIMPLEMENTED,
    /** A defect in Petrichor or a broken store. */
    INTERNAL
}
