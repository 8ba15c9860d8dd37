package petrichor.frontends.tasks;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * The name of a location, a queue or a task, such as {@code
 * projects/demo/locations/here/queues/mail/tasks/t1}. The location is repeated in responses and has
 * no other meaning.
 *
 * @param queue empty in the name of a location
 * @param task empty in the name of a location or queue
 */
record ResourceName(String project, String location, String queue, String task) {
    private static final Pattern NAME =
            Pattern.compile(
                    "projects/(?<project>[A-Za-z\\d.:-]{1,100})/locations/(?<location>[a-z\\d-]{1,100})"
                        + "(?:/queues/(?<queue>[^/]{1,100})(?:/tasks/(?<task>[^/]{1,500}))?)?");

    private static ResourceName parse(String name, String form) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            throw invalid(name, form);
        }
        String queue = matcher.group("queue");
        String task = matcher.group("task");
        return new ResourceName(
                matcher.group("project"),
                matcher.group("location"),
                queue == null ? "" : queue,
                task == null ? "" : task);
    }

    private static PetrichorException invalid(String name, String form) {
        String shown = name.length() > 200 ? name.substring(0, 200) + "…" : name;
        return PetrichorException.invalid(
                "\"{name}\" is not a name of the form {form}.", "name", shown, "form", form);
    }

    static ResourceName ofLocation(String name) {
        String form = "projects/PROJECT/locations/LOCATION";
        ResourceName parsed = parse(name, form);
        if (!parsed.queue.isEmpty()) {
            throw invalid(name, form);
        }
        return parsed;
    }

    static ResourceName ofQueue(String name) {
        String form = "projects/PROJECT/locations/LOCATION/queues/QUEUE";
        ResourceName parsed = parse(name, form);
        if (parsed.queue.isEmpty() || !parsed.task.isEmpty()) {
            throw invalid(name, form);
        }
        return parsed;
    }

    static ResourceName ofTask(String name) {
        String form = "projects/PROJECT/locations/LOCATION/queues/QUEUE/tasks/TASK";
        ResourceName parsed = parse(name, form);
        if (parsed.task.isEmpty()) {
            throw invalid(name, form);
        }
        return parsed;
    }

    ResourceName ofQueueHere(String name) {
        return new ResourceName(project, location, name, "");
    }

    ResourceName ofTaskHere(String name) {
        return new ResourceName(project, location, queue, name);
    }

    /** Whether the other resource is of the same location. */
    boolean isBeside(ResourceName other) {
        return project.equals(other.project) && location.equals(other.location);
    }

    @Override
    public String toString() {
        String name = "projects/" + project + "/locations/" + location;
        if (queue.isEmpty()) {
            return name;
        }
        name += "/queues/" + queue;
        return task.isEmpty() ? name : name + "/tasks/" + task;
    }
}
