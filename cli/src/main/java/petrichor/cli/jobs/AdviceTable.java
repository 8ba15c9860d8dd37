package petrichor.cli.jobs;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import petrichor.base.TextTable;
import petrichor.cli.console.Terminal;
import petrichor.jobs.tuning.Advice;
import petrichor.jobs.tuning.Finding;
import petrichor.jobs.tuning.MachineOffer;
import petrichor.jobs.tuning.TaskAdvice;
import petrichor.jobs.tuning.TaskProfile;

/**
 * Formats the bottlenecks of a job and the recommended parallelism, as text and as JSON. Stateless.
 */
final class AdviceTable {
    private AdviceTable() {}

    static void print(Advice advice, Terminal terminal) {
        TextTable table = new TextTable(System.out);
        advice.tasks().forEach(task -> table.row(row(task)));
        table.end();
        if (advice.findings().isEmpty()) {
            terminal.say("no bottleneck: no task is busy and no channel is full all the time");
        }
        if (advice.areCoresBusy()) {
            terminal.say(
                    "bottleneck: the processors, busy with this job "
                            + percent(advice.coresBusy())
                            + " of the time");
        }
        advice.findings().forEach(finding -> terminal.say("bottleneck: " + finding.text()));
        advice.tasks().stream()
                .filter(task -> task.isChange() || task.finding() != null)
                .forEach(task -> terminal.say(why(task)));
        terminal.say(outlook(advice));
    }

    private static String why(TaskAdvice advice) {
        int now = advice.task().parallelism();
        return advice.task().name()
                + ": "
                + (advice.isChange()
                        ? subtasks(advice.parallelism()) + " instead of " + now + ": "
                        : "")
                + advice.reason();
    }

    private static String subtasks(int number) {
        return number == 1 ? "1 subtask" : number + " subtasks";
    }

    /** Describes the expected effect of the advised numbers of subtasks. */
    static String outlook(Advice advice) {
        if (!advice.isChange()) {
            return "no change in the number of subtasks would help";
        }
        String text =
                String.format(
                        Locale.ROOT,
                        "estimated time with this advice: %.1f s instead of %.1f s",
                        advice.expectedSeconds(),
                        advice.seconds());
        return advice.dollars() > 0
                ? text + String.format(Locale.ROOT, " and cost $ %.4f", advice.dollars())
                : text;
    }

    private static Map<String, String> row(TaskAdvice advice) {
        TaskProfile task = advice.task();
        Finding finding = advice.finding();
        Map<String, String> row = new LinkedHashMap<>();
        row.put("task", task.name());
        row.put("subtasks", Integer.toString(task.parallelism()));
        row.put("busy", percent(task.busyMean()));
        row.put("busiest", percent(task.busyMax()));
        row.put("input rate", rate(task.trueRate()));
        row.put("output rate", rate(task.trueOutputRate()));
        row.put("bottleneck", finding == null ? "" : finding.displayName());
        row.put("advised", Integer.toString(advice.parallelism()));
        MachineOffer machine = advice.machine();
        if (machine != null) {
            row.put("on", machine.type());
            row.put("for", String.format(Locale.ROOT, "$ %.4f", advice.dollars()));
        }
        return row;
    }

    private static String percent(double part) {
        return Math.round(100 * part) + " %";
    }

    private static String rate(double perSecond) {
        return perSecond == 0
                ? ""
                : String.format(Locale.ROOT, perSecond < 100 ? "%.1f/s" : "%,.0f/s", perSecond);
    }

    static JsonObject json(Advice advice) {
        JsonObject json = new JsonObject();
        json.addProperty("seconds", advice.seconds());
        json.addProperty("expectedSeconds", advice.expectedSeconds());
        json.addProperty("dollars", advice.dollars());
        json.addProperty("coresBusy", advice.coresBusy());
        JsonArray found = new JsonArray();
        advice.findings().forEach(finding -> found.add(json(finding)));
        json.add("bottlenecks", found);
        JsonArray tasks = new JsonArray();
        advice.tasks().forEach(task -> tasks.add(json(task)));
        json.add("tasks", tasks);
        return json;
    }

    private static JsonObject json(Finding finding) {
        JsonObject json = new JsonObject();
        json.addProperty("kind", finding.displayName());
        json.addProperty("task", finding.task());
        json.addProperty("text", finding.text());
        return json;
    }

    private static JsonObject json(TaskAdvice advice) {
        TaskProfile task = advice.task();
        Finding finding = advice.finding();
        JsonObject json = new JsonObject();
        json.addProperty("id", task.id());
        json.addProperty("name", task.name());
        json.addProperty("parallelism", task.parallelism());
        json.addProperty("busyMean", task.busyMean());
        json.addProperty("busyMax", task.busyMax());
        json.addProperty("trueRate", task.trueRate());
        json.addProperty("trueOutputRate", task.trueOutputRate());
        json.addProperty("bottleneck", finding == null ? "" : finding.displayName());
        json.addProperty("advised", advice.parallelism());
        json.addProperty("reason", advice.reason());
        MachineOffer machine = advice.machine();
        if (machine != null) {
            json.addProperty("machine", machine.type());
            json.addProperty("dollars", advice.dollars());
        }
        return json;
    }

    static List<MachineOffer> offers(List<String> machines) {
        return machines.stream().map(MachineOffer::parse).toList();
    }
}
