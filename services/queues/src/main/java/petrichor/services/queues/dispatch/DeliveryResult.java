package petrichor.services.queues.dispatch;

/** How a delivery ended. */
public sealed interface DeliveryResult {
    /** Whether the task is done. */
    boolean succeeded();

    /** HTTP status; 0 if there was no answer. */
    int status();

    /**
     * The app answered.
     *
     * @param status HTTP status; 200 to 299 means that the task is done
     */
    record Answered(int status) implements DeliveryResult {
        @Override
        public boolean succeeded() {
            return status >= 200 && status <= 299;
        }
    }

    /**
     * There was no answer: the app could not be reached, or the deadline passed.
     *
     * @param reason for the log
     */
    record Unanswered(String reason) implements DeliveryResult {
        @Override
        public boolean succeeded() {
            return false;
        }

        @Override
        public int status() {
            return 0;
        }
    }
}
