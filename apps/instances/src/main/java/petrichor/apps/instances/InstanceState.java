package petrichor.apps.instances;

/** The state of an instance; see the diagram of the package. */
public sealed interface InstanceState {
    /** Waits for its turn to start, or was started and has not passed its check. */
    record Starting() implements InstanceState {}

    /** Accepts requests. */
    record Ready() implements InstanceState {}

    /** Completes its requests and then ends; must not get new ones. */
    record Draining(String reason) implements InstanceState {}

    /** Ended because it was stopped. */
    record Stopped(String reason) implements InstanceState {}

    /**
     * Ended although it was not stopped, or could not start.
     *
     * @param reason a sentence, followed by the last lines of output if there are any
     */
    record Failed(Failure failure, String reason) implements InstanceState {}

    /** Why an instance failed. */
    enum Failure {
        /** Its process ended by itself, or by a signal. */
        EXITED,
        /** The kernel ended it at its memory limit. */
        MEMORY_LIMIT,
        /** It did not listen, or did not answer, in time. */
        NOT_READY_IN_TIME,
        /** It answered the start request with an error. */
        START_REFUSED,
        /** Another process listens on its port. */
        PORT_TAKEN,
        /** The platform could not start its process. */
        LAUNCH
    }

    /** True for the states after which no other follows. */
    default boolean isFinal() {
        return switch (this) {
            case Starting _, Ready _, Draining _ -> false;
            case Stopped _, Failed _ -> true;
        };
    }
}
