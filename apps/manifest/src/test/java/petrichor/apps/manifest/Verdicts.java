package petrichor.apps.manifest;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The files beside the tests that {@code appinfo_oracle.py} and its reader wrote. */
final class Verdicts {
    /**
     * What Google's parser makes of a document.
     *
     * @param values of an accepted document; otherwise empty
     */
    record Verdict(String name, String kind, String text, boolean accepted, JsonObject values) {}

    private final JsonObject samples;
    private final List<Verdict> all = new ArrayList<>();

    private Verdicts(List<String> lines) {
        samples = JsonParser.parseString(lines.getFirst()).getAsJsonObject();
        for (String line : lines.subList(1, lines.size())) {
            JsonObject entry = JsonParser.parseString(line).getAsJsonObject();
            all.add(
                    new Verdict(
                            entry.get("name").getAsString(),
                            entry.get("kind").getAsString(),
                            entry.get("text").getAsString(),
                            entry.get("accepted").getAsBoolean(),
                            entry.has("values")
                                    ? entry.getAsJsonObject("values")
                                    : new JsonObject()));
        }
    }

    static Verdicts read() {
        return new Verdicts(resource("appinfo-verdicts.json").lines().toList());
    }

    /** Explanations by the name of a document: the rows of {@code disagreements.md}. */
    static Map<String, String> disagreements() {
        Map<String, String> rows = new LinkedHashMap<>();
        for (String line : resource("disagreements.md").lines().toList()) {
            String[] cells = line.split("(?<!\\\\)\\|", -1);
            if (line.startsWith("| `")) {
                String name = cells[1].strip().replace("\\|", "|");
                rows.put(name.substring(1, name.length() - 1), cells[2].strip());
            }
        }
        return rows;
    }

    private static String resource(String name) {
        try (var stream = Verdicts.class.getResourceAsStream(name)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    List<Verdict> all() {
        return all;
    }

    List<String> files() {
        return strings(samples.getAsJsonArray("samples"));
    }

    List<String> paths() {
        return strings(samples.getAsJsonArray("paths"));
    }

    /** Hosts and paths. */
    List<List<String>> requests() {
        List<List<String>> requests = new ArrayList<>();
        for (JsonElement request : samples.getAsJsonArray("requests")) {
            requests.add(strings(request.getAsJsonArray()));
        }
        return requests;
    }

    private static List<String> strings(JsonArray array) {
        List<String> strings = new ArrayList<>();
        array.forEach(each -> strings.add(each.getAsString()));
        return strings;
    }
}
