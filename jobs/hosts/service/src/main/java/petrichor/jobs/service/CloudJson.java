package petrichor.jobs.service;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.leased.JobCost;
import petrichor.jobs.leased.LeaseTerms;
import petrichor.jobs.leased.StageCut;

/**
 * By what terms a job leases machines and what they cost, as JSON objects, both ways. Stateless.
 */
public final class CloudJson {
    private static final String LOCAL = "local";
    private static final String COST = "cost";

    private CloudJson() {}

    static JsonObject of(LeaseTerms terms) {
        JsonObject json = new JsonObject();
        json.addProperty("name", LOCAL);
        JsonArray types = new JsonArray();
        terms.types().forEach(types::add);
        json.add("types", types);
        json.addProperty("machines", terms.machinesMax());
        json.addProperty("stages", word(terms.cut()));
        json.addProperty("billing", word(terms.billing()));
        json.addProperty("waitSeconds", terms.waitMax().toSeconds());
        return json;
    }

    /** What is missing is as {@link LeaseTerms#STANDARD} has it; a word that is unknown is not. */
    static LeaseTerms terms(JsonObject json) {
        LeaseTerms standard = LeaseTerms.STANDARD;
        String name = json.has("name") ? EventJson.text(json, "name") : LOCAL;
        if (!name.equals(LOCAL)) {
            throw PetrichorException.invalid("there is no cloud '" + name + "'; available: local");
        }
        List<String> types = new ArrayList<>();
        if (json.has("types")) {
            json.getAsJsonArray("types").forEach(each -> types.add(each.getAsString()));
        }
        return new LeaseTerms(
                types.isEmpty() ? standard.types() : types,
                json.has("machines") ? json.get("machines").getAsInt() : standard.machinesMax(),
                cut(json, standard.cut()),
                of(json, "billing", standard.billing(), LeaseTerms.Unit.values()),
                json.has("waitSeconds")
                        ? Duration.ofSeconds(json.get("waitSeconds").getAsLong())
                        : standard.waitMax());
    }

    private static StageCut cut(JsonObject json, StageCut standard) {
        boolean former =
                json.has("stages")
                        && EventJson.text(json, "stages").equals(StageCut.FORMER_BLOCKING);
        return former ? StageCut.BLOCKING : of(json, "stages", standard, StageCut.values());
    }

    private static String word(Enum<?> of) {
        return of.name().toLowerCase(Locale.ROOT);
    }

    private static <E extends Enum<E>> E of(JsonObject json, String name, E standard, E[] known) {
        if (!json.has(name)) {
            return standard;
        }
        String text = EventJson.text(json, name);
        List<String> words = new ArrayList<>();
        for (E each : known) {
            if (word(each).equals(text)) {
                return each;
            }
            words.add(word(each));
        }
        throw PetrichorException.invalid(
                "\"" + name + "\" of a cloud is " + String.join(", ", words) + ", not " + text);
    }

    /** For programs: amounts in millionths of a dollar, times in milliseconds. */
    public static JsonObject of(JobCost cost) {
        JsonObject json = new JsonObject();
        json.addProperty("job", cost.job());
        json.addProperty("paidMicros", cost.paidMicros());
        json.addProperty("fixedClusterMicros", cost.fixedClusterMicros());
        json.addProperty("elapsedMillis", cost.elapsed().toMillis());
        json.addProperty("usedMillis", cost.used().toMillis());
        json.addProperty("idleMillis", cost.idle().toMillis());
        JsonArray all = new JsonArray();
        for (JobCost.Stage each : cost.stages()) {
            JsonObject stage = new JsonObject();
            stage.addProperty("stage", each.number() + 1);
            JsonObject machines = new JsonObject();
            each.machines().forEach(machines::addProperty);
            stage.add("machines", machines);
            stage.addProperty("usedMillis", each.used().toMillis());
            stage.addProperty("paidMicros", each.paidMicros());
            all.add(stage);
        }
        json.add("stages", all);
        return json;
    }

    static void add(JsonObject json, @Nullable JobCost cost) {
        if (cost != null) {
            json.add(COST, of(cost));
        }
    }

    /** Of what {@link #add} made; null where there is none. */
    static @Nullable JobCost cost(JsonObject json) {
        if (!json.has(COST)) {
            return null;
        }
        JsonObject cost = json.getAsJsonObject(COST);
        List<JobCost.Stage> stages = new ArrayList<>();
        for (JsonElement each : cost.getAsJsonArray("stages")) {
            JsonObject stage = each.getAsJsonObject();
            Map<String, Integer> machines = new HashMap<>();
            stage.getAsJsonObject("machines")
                    .entrySet()
                    .forEach(type -> machines.put(type.getKey(), type.getValue().getAsInt()));
            stages.add(
                    new JobCost.Stage(
                            stage.get("stage").getAsInt() - 1,
                            machines,
                            millis(stage, "usedMillis"),
                            stage.get("paidMicros").getAsLong()));
        }
        return new JobCost(
                EventJson.text(cost, "job"),
                millis(cost, "elapsedMillis"),
                cost.get("paidMicros").getAsLong(),
                cost.get("fixedClusterMicros").getAsLong(),
                millis(cost, "usedMillis"),
                millis(cost, "idleMillis"),
                stages);
    }

    private static Duration millis(JsonObject json, String name) {
        return Duration.ofMillis(json.get(name).getAsLong());
    }
}
