package petrichor.services.queues.dispatch;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import petrichor.services.queues.Queue;
import petrichor.services.queues.Task;
import petrichor.services.queues.TaskState;
import petrichor.services.queues.TaskWork;

/** The header fields of the request of a task. */
final class TaskHeaders {
    /** Fields that the client sets, or that are not the task's to set. */
    private static final Set<String> RESERVED =
            Set.of(
                    "connection",
                    "content-length",
                    "date",
                    "expect",
                    "host",
                    "transfer-encoding",
                    "upgrade",
                    "user-agent");

    /** Set by the platform only, since apps trust them. */
    private static final String[] PLATFORM = {"x-appengine-", "x-cloudtasks-", "x-google-"};

    /** Of the platform's fields, those that SDKs set themselves. */
    private static final Set<String> OF_SDKS =
            Set.of("x-appengine-current-namespace", "x-appengine-default-namespace");

    private static final String CONTENT_TYPE = "content-type";

    /** The address from which an app accepts tasks: the handler of deferred tasks checks it. */
    private static final String TASK_ADDRESS = "0.1.0.2";

    private static final int MICROS_DIGITS = 6;

    private TaskHeaders() {}

    /** Of a request to the app itself. */
    static Map<String, String> toApp(Delivery delivery, String ticket) {
        Map<String, String> fields = own(delivery.task());
        fields.put("User-Agent", "AppEngine-Google; (+http://code.google.com/appengine)");
        task(delivery, "X-AppEngine-", fields);
        fields.put("X-Appengine-Remote-Addr", TASK_ADDRESS);
        fields.put("X-Appengine-User-IP", TASK_ADDRESS);
        fields.put("X-Appengine-Https", "off");
        fields.put("X-Appengine-Api-Ticket", ticket);
        if (delivery.queue().name().equals(Queue.CRON)) {
            fields.put("X-AppEngine-Cron", "true");
        }
        return fields;
    }

    /** Of a request to another server. */
    static Map<String, String> toOthers(Delivery delivery) {
        Map<String, String> fields = own(delivery.task());
        fields.put("User-Agent", "Google-Cloud-Tasks");
        task(delivery, "X-CloudTasks-", fields);
        return fields;
    }

    private static Map<String, String> own(Task task) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (task.work() instanceof TaskWork.Push push) {
            boolean typed = false;
            for (TaskWork.Header header : push.headers()) {
                String name = header.name().toLowerCase(Locale.ROOT);
                if (allowed(name)) {
                    fields.put(header.name(), header.value());
                    typed |= name.equals(CONTENT_TYPE);
                }
            }
            if (!typed && push.body().length > 0) {
                fields.put(CONTENT_TYPE, "application/octet-stream");
            }
        }
        return fields;
    }

    static boolean allowed(String name) {
        if (OF_SDKS.contains(name)) {
            return true;
        }
        for (String prefix : PLATFORM) {
            if (name.startsWith(prefix)) {
                return false;
            }
        }
        return !RESERVED.contains(name);
    }

    private static void task(Delivery delivery, String prefix, Map<String, String> fields) {
        TaskState.Attempts attempts = delivery.task().state().attempts();
        fields.put(prefix + "QueueName", delivery.queue().name());
        fields.put(prefix + "TaskName", delivery.task().name());
        fields.put(prefix + "TaskRetryCount", String.valueOf(attempts.retries()));
        fields.put(prefix + "TaskExecutionCount", String.valueOf(attempts.executions()));
        fields.put(prefix + "TaskETA", seconds(delivery.task().state().etaMicros()));
        if (attempts.retries() > 0 && attempts.lastStatus() != 0) {
            fields.put(prefix + "TaskPreviousResponse", String.valueOf(attempts.lastStatus()));
        }
    }

    private static String seconds(long micros) {
        return BigDecimal.valueOf(micros, MICROS_DIGITS).toPlainString();
    }
}
