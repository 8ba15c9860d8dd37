package petrichor.jobs.engine.operators;

/** Something that is not user code failed: a source, a sink, a disk. The task adds where. */
final class OperationFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OperationFailure(String what, Throwable cause) {
        super(what, cause);
    }
}
