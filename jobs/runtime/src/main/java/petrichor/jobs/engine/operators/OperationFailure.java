package petrichor.jobs.engine.operators;

/** A failure outside user code: of a source, a sink or a disk. The subtask adds its name. */
final class OperationFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OperationFailure(String what, Throwable cause) {
        super(what, cause);
    }
}
