package petrichor.frontends.apps;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.apps.catalog.AppVariables;
import petrichor.apps.hosting.Hosting;
import petrichor.apps.hosting.VariableChange;
import petrichor.apps.router.table.VersionName;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;

/**
 * {@code GET /petrichor/v1/apps/APP/variables}: the variables of an app, and the names of its
 * secrets. {@code POST}: a change, such as {@code {"kind": "secret", "set": {"KEY": "value"},
 * "unset": ["OLD"]}}; the response has the events of the instances that it starts. Values of
 * secrets are never sent. Thread-safe.
 */
public final class VariablePages {
    private static final String PATH = "/petrichor/v1/apps/{app}/variables";

    private final Supplier<Hosting> hosting;
    private final Function<VersionName, String> url;

    /**
     * @param hosting is called by the first page that needs it
     * @param url of a version
     */
    public VariablePages(Supplier<Hosting> hosting, Function<VersionName, String> url) {
        this.hosting = hosting;
        this.url = url;
    }

    public List<Page> pages() {
        return List.of(
                new Page("GET", PATH, Page.Access.PROJECT_DEPLOY, Page.Lane.CALLS, this::list),
                new Page("POST", PATH, Page.Access.PROJECT_DEPLOY, Page.Lane.CALLS, this::change));
    }

    private Page.Answer list(Page.Request request) {
        AppVariables variables = hosting.get().variables(request.inPath("app"));
        JsonObject values = new JsonObject();
        variables.plain().forEach(values::addProperty);
        JsonArray secrets = new JsonArray();
        variables.secrets().keySet().forEach(secrets::add);
        JsonObject json = new JsonObject();
        json.add("variables", values);
        json.add("secrets", secrets);
        return Page.Answer.json(200, json + "\n");
    }

    private Page.Answer change(Page.Request request) {
        String app = request.inPath("app");
        JsonObject asked = AppPages.parsed(request.body());
        VariableChange change =
                new VariableChange(kind(asked.get("kind")), values(asked), names(asked));
        Hosting host = hosting.get();
        return DeploymentLines.start(progress -> host.change(app, change, progress), url, () -> {});
    }

    private static VariableChange.Kind kind(@Nullable JsonElement kind) {
        return switch (kind == null || !kind.isJsonPrimitive() ? "plain" : kind.getAsString()) {
            case "plain" -> VariableChange.Kind.PLAIN;
            case "secret" -> VariableChange.Kind.SECRET;
            default -> throw PetrichorException.invalid("the kind is plain or secret");
        };
    }

    private static Map<String, String> values(JsonObject asked) {
        Map<String, String> values = new TreeMap<>();
        if (asked.has("set") && asked.get("set").isJsonObject()) {
            asked.getAsJsonObject("set")
                    .entrySet()
                    .forEach(each -> values.put(each.getKey(), text(each.getValue())));
        }
        return values;
    }

    private static Set<String> names(JsonObject asked) {
        Set<String> names = new HashSet<>();
        if (asked.has("unset") && asked.get("unset").isJsonArray()) {
            asked.getAsJsonArray("unset").forEach(each -> names.add(text(each)));
        }
        return names;
    }

    private static String text(JsonElement value) {
        if (!value.isJsonPrimitive()) {
            throw PetrichorException.invalid(
                    "set is an object of names and texts, and unset a list of names");
        }
        return value.getAsString();
    }
}
