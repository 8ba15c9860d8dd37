package petrichor.jobs.service;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.Workers;
import petrichor.jobs.local.Jobs;

/**
 * What somebody wants to be run.
 *
 * @param program name of the class, a {@link petrichor.jobs.local.JobProgram}; null for the one
 *     that the jar's manifest names
 * @param workers how many processes its tasks run in; 0 for the process that has the plan
 */
public record Submission(@Nullable String program, List<String> arguments, int workers) {
    public static final int ARGUMENTS_MAX = 1_000;
    public static final int ARGUMENT_CHARS_MAX = 8_192;

    public Submission {
        arguments = List.copyOf(arguments);
        if (arguments.size() > ARGUMENTS_MAX
                || arguments.stream().anyMatch(one -> one.length() > ARGUMENT_CHARS_MAX)) {
            throw PetrichorException.invalid(
                    "a job takes at most "
                            + ARGUMENTS_MAX
                            + " arguments of "
                            + ARGUMENT_CHARS_MAX
                            + " characters; put the rest into a file and name that");
        }
        if (workers < 0 || workers > Workers.COUNT_MAX) {
            throw PetrichorException.invalid(
                    "a job runs in at most "
                            + Workers.COUNT_MAX
                            + " workers (0: in one process), not "
                            + workers);
        }
    }

    public Submission(@Nullable String program, List<String> arguments) {
        this(program, arguments, 0);
    }

    /** Where it runs: here, or in workers that share as much heap as this process may have. */
    Jobs jobs(Path jar) {
        return workers == 0
                ? Jobs.local()
                : Jobs.local().with(Workers.sharingHeap(workers).withJars(List.of(jar)));
    }

    /** As an object with {@code class}, {@code arguments} and {@code workers}. */
    public JsonObject json() {
        JsonObject json = new JsonObject();
        addTo(json);
        return json;
    }

    void addTo(JsonObject json) {
        EventJson.add(json, "class", program);
        JsonArray all = new JsonArray();
        arguments.forEach(all::add);
        json.add("arguments", all);
        json.addProperty("workers", workers);
    }

    /** Reads {@link #json} back; all of it may be missing. */
    public static Submission parse(String text) {
        try {
            return of(JsonParser.parseString(text).getAsJsonObject());
        } catch (JsonParseException
                | IllegalStateException
                | UnsupportedOperationException
                | NumberFormatException wrong) {
            throw PetrichorException.invalid(
                    "a job is described by {\"class\": TEXT, \"arguments\": [TEXT, ...],"
                            + " \"workers\": NUMBER}, of which all may be missing; this is"
                            + " something else");
        }
    }

    static Submission of(JsonObject json) {
        List<String> arguments = new ArrayList<>();
        if (json.has("arguments")) {
            for (JsonElement one : json.getAsJsonArray("arguments")) {
                arguments.add(one.getAsString());
            }
        }
        return new Submission(
                EventJson.find(json, "class"),
                arguments,
                json.has("workers") ? json.get("workers").getAsInt() : 0);
    }
}
