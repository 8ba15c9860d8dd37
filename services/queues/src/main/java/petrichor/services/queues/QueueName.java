package petrichor.services.queues;

import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/** Names of queues and tasks, as App Engine and Cloud Tasks allow them. */
public final class QueueName {
    private static final Pattern QUEUE = Pattern.compile("[A-Za-z\\d-]{1,100}");
    private static final Pattern TASK = Pattern.compile("[A-Za-z\\d_-]{1,500}");

    private QueueName() {}

    public static boolean isQueue(String name) {
        return QUEUE.matcher(name).matches();
    }

    static void requireQueue(String name) {
        if (!isQueue(name)) {
            throw PetrichorException.invalid(
                    "The name of a queue has 1 to 100 letters, digits and hyphens; \"{name}\" does"
                            + " not.",
                    "name",
                    shortened(name));
        }
    }

    public static boolean isTask(String name) {
        return TASK.matcher(name).matches();
    }

    static void requireTask(String name) {
        if (!isTask(name)) {
            throw PetrichorException.invalid(
                    "The name of a task has 1 to 500 letters, digits, hyphens and underscores;"
                            + " \"{name}\" does not.",
                    "name",
                    shortened(name));
        }
    }

    private static String shortened(String name) {
        return name.length() <= 100 ? name : name.substring(0, 100) + "…";
    }
}
