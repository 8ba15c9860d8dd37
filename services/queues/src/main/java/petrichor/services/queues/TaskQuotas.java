package petrichor.services.queues;

import java.util.OptionalLong;

/** How many tasks an operator lets projects add. Thread-safe; does not block. */
public interface TaskQuotas {
    /** Every project may add as many as it likes. */
    TaskQuotas NONE =
            new TaskQuotas() {
                @Override
                public OptionalLong addedPerMinute(String project) {
                    return OptionalLong.empty();
                }

                @Override
                public OptionalLong waiting(String project) {
                    return OptionalLong.empty();
                }
            };

    /** Tasks that a project may add in a minute, all of them at once; at least 1. */
    OptionalLong addedPerMinute(String project);

    /** Tasks that all queues of a project may have; at least 1. */
    OptionalLong waiting(String project);
}
