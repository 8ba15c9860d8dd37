package petrichor.apps.builds;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * What the build of a Node app reads in its package.json.
 *
 * @param scripts by name
 * @param dependencies version or address by name, of all kinds
 */
record PackageJson(
        Map<String, String> scripts,
        Map<String, String> dependencies,
        boolean hasDevelopmentDependencies,
        boolean hasWorkspaces) {
    static final String FILE = "package.json";

    /** Scripts of the app that npm runs when it installs dependencies; they may need sources. */
    private static final Set<String> INSTALL_SCRIPTS =
            Set.of(
                    "preinstall",
                    "install",
                    "postinstall",
                    "prepare",
                    "preprepare",
                    "postprepare",
                    "prepublish");

    PackageJson {
        scripts = Map.copyOf(scripts);
        dependencies = Map.copyOf(dependencies);
    }

    static PackageJson read(Path file) throws IOException {
        JsonObject json;
        try {
            json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
        } catch (JsonParseException | IllegalStateException | MalformedInputException e) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT, e, "package.json is not a JSON object: correct it");
        }
        Map<String, String> dependencies = new TreeMap<>(texts(json, "dependencies"));
        dependencies.putAll(texts(json, "optionalDependencies"));
        Map<String, String> development = texts(json, "devDependencies");
        dependencies.putAll(development);
        return new PackageJson(
                texts(json, "scripts"),
                dependencies,
                !development.isEmpty(),
                json.has("workspaces"));
    }

    private static Map<String, String> texts(JsonObject json, String member) {
        Map<String, String> texts = new TreeMap<>();
        if (json.get(member) instanceof JsonObject object) {
            for (Map.Entry<String, JsonElement> entry : object.entrySet()) {
                if (entry.getValue().isJsonPrimitive()) {
                    texts.put(entry.getKey(), entry.getValue().getAsString());
                }
            }
        }
        return texts;
    }

    /** The script that builds the app; null if it has none, or an empty gcp-build. */
    @Nullable String buildScript() {
        String own = scripts.get("gcp-build");
        if (own != null) {
            return own.isBlank() ? null : "gcp-build";
        }
        return scripts.containsKey("build") ? "build" : null;
    }

    /** Whether the dependencies can be installed without the app's sources. */
    boolean installsApart() {
        return !hasWorkspaces
                && scripts.keySet().stream().noneMatch(INSTALL_SCRIPTS::contains)
                && dependencies.values().stream()
                        .noneMatch(
                                version ->
                                        version.startsWith("file:")
                                                || version.startsWith("link:")
                                                || version.startsWith(".")
                                                || version.startsWith("/"));
    }
}
