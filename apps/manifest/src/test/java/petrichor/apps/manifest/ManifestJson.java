package petrichor.apps.manifest;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Petrichor's reading of a file, in the form of {@code appinfo_oracle.py}. */
final class ManifestJson {
    private static final String AUTOMATIC = "automatic";
    private final AppYaml app;
    private final JsonObject json = new JsonObject();

    private ManifestJson(AppYaml app) {
        this.app = app;
    }

    static JsonObject of(AppYaml app, List<String> files, List<String> paths) {
        return new ManifestJson(app).write(files, paths);
    }

    private JsonObject write(List<String> files, List<String> paths) {
        add(json, "project", app.target().project());
        add(json, "service", Optional.of(app.target().service()));
        add(json, "version", app.target().version());
        add(json, "runtime", Optional.of(app.execution().runtime().name()));
        // Google adds it, and the oracle removes it.
        add(
                json,
                "entrypoint",
                app.execution().entrypoint().map(command -> command.replaceFirst("^exec ", "")));
        add(json, "instance_class", Optional.of(app.execution().instanceClass().name()));
        json.addProperty("app_engine_apis", app.execution().appEngineApis());
        add(json, "main", app.build().main());
        json.add("env_variables", object(app.execution().variables()));
        json.add("build_env_variables", object(app.build().variables()));
        Routes routes = app.routes();
        json.addProperty("default_expiration", routes.defaultExpiration().toSeconds());
        JsonArray handlers = new JsonArray();
        routes.handlers().forEach(handler -> handlers.add(handler(handler)));
        json.add("handlers", handlers);
        JsonArray matches = new JsonArray();
        paths.forEach(path -> matches.add(match(path)));
        json.add("routes", matches);
        JsonArray errorHandlers = new JsonArray();
        routes.errorHandlers().forEach(handler -> errorHandlers.add(errorHandler(handler)));
        json.add("error_handlers", errorHandlers);
        JsonArray services = new JsonArray();
        routes.inboundServices().stream().map(ManifestJson::lower).sorted().forEach(services::add);
        json.add("inbound_services", services);
        scaling();
        JsonArray skipped = new JsonArray();
        FilePatterns skipFiles = app.build().skipFiles().orElse(FilePatterns.DEFAULT);
        files.stream().filter(skipFiles::skips).forEach(skipped::add);
        json.add("skipped", skipped);
        return json;
    }

    private JsonArray match(String path) {
        JsonArray match = new JsonArray();
        List<UrlHandler> handlers = app.routes().handlers();
        for (int i = 0; i < handlers.size(); i++) {
            Optional<Destination> destination = handlers.get(i).match(path);
            if (destination.isPresent()) {
                match.add(i);
                match.add(
                        switch (destination.get()) {
                            case Destination.App() -> "app";
                            case Destination.File(String file, StaticOptions _) -> file;
                            case Destination.NotFound _ -> "404";
                        });
                return match;
            }
        }
        match.add(-1);
        match.add("app");
        return match;
    }

    private static JsonObject handler(UrlHandler handler) {
        JsonObject json = new JsonObject();
        json.addProperty("url", handler.url().text());
        switch (handler.target()) {
            case HandlerTarget.Script() -> json.addProperty("script", "auto");
            case HandlerTarget.StaticFiles(
                            String file,
                            UrlPattern upload,
                            StaticOptions options) -> {
                json.addProperty("static_files", file);
                json.addProperty("upload", upload.text());
                options(json, options);
            }
            case HandlerTarget.StaticDirectory(String folder, StaticOptions options) -> {
                json.addProperty("static_dir", folder);
                options(json, options);
            }
        }
        UrlHandler.Access access = handler.access();
        json.addProperty("login", lower(access.login()));
        json.addProperty("auth_fail_action", lower(access.authFailAction()));
        json.addProperty("secure", lower(access.secure()));
        json.addProperty("redirect_http_response_code", String.valueOf(access.redirectStatus()));
        return json;
    }

    private static void options(JsonObject json, StaticOptions options) {
        add(json, "mime_type", options.mimeType());
        options.expiration().ifPresent(time -> json.addProperty("expiration", time.toSeconds()));
        json.add("http_headers", object(options.headers()));
        for (StaticOptions.Flag flag : StaticOptions.Flag.values()) {
            json.addProperty(lower(flag), options.flags().contains(flag));
        }
    }

    private static JsonObject errorHandler(ErrorHandler handler) {
        JsonObject json = new JsonObject();
        json.addProperty("error_code", lower(handler.code()));
        json.addProperty("file", handler.file());
        add(json, "mime_type", handler.mimeType());
        return json;
    }

    private void scaling() {
        JsonObject fields = new JsonObject();
        switch (app.scaling()) {
            case AppScaling.Automatic automatic -> {
                json.add("automatic_scaling", fields);
                AppScaling.Instances instances = automatic.instances();
                fields.addProperty("min_instances", String.valueOf(instances.min()));
                fields.addProperty("max_instances", String.valueOf(instances.max().orElse(0)));
                fields.addProperty("min_idle_instances", number(automatic.idle().min()));
                fields.addProperty("max_idle_instances", number(automatic.idle().max()));
                fields.addProperty("min_pending_latency", time(automatic.pending().min()));
                fields.addProperty("max_pending_latency", time(automatic.pending().max()));
                AppScaling.Utilization utilization = automatic.utilization();
                fields.addProperty(
                        "max_concurrent_requests",
                        String.valueOf(utilization.concurrentRequestsMax()));
                fields.addProperty("target_cpu_utilization", String.valueOf(utilization.cpu()));
                fields.addProperty(
                        "target_throughput_utilization", String.valueOf(utilization.throughput()));
            }
            case AppScaling.Basic(int max, Duration idle) -> {
                json.add("basic_scaling", fields);
                fields.addProperty("max_instances", String.valueOf(max));
                fields.addProperty("idle_timeout", String.valueOf(idle.toMillis()));
            }
            case AppScaling.Manual(int instances) -> {
                json.add("manual_scaling", fields);
                fields.addProperty("instances", String.valueOf(instances));
            }
        }
    }

    private static String number(OptionalInt number) {
        return number.isPresent() ? String.valueOf(number.getAsInt()) : AUTOMATIC;
    }

    private static String time(Optional<Duration> time) {
        return time.map(present -> String.valueOf(present.toMillis())).orElse(AUTOMATIC);
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static JsonObject object(Map<String, String> map) {
        JsonObject object = new JsonObject();
        map.forEach(object::addProperty);
        return object;
    }

    private static void add(JsonObject json, String key, Optional<String> value) {
        value.ifPresent(text -> json.addProperty(key, text));
    }

    /** The first key whose value differs from Google's; null if all that Google has are equal. */
    static @Nullable String difference(String at, JsonElement google, @Nullable JsonElement ours) {
        if (google.isJsonObject() && ours != null && ours.isJsonObject()) {
            boolean free = at.endsWith("variables") || at.endsWith("headers");
            if (free && !google.equals(ours)) {
                return at + ": " + google + " and " + ours;
            }
            for (Map.Entry<String, JsonElement> entry : google.getAsJsonObject().entrySet()) {
                String found =
                        difference(
                                at + "." + entry.getKey(),
                                entry.getValue(),
                                ours.getAsJsonObject().get(entry.getKey()));
                if (found != null) {
                    return found;
                }
            }
            return null;
        }
        if (google.isJsonArray() && ours != null && ours.isJsonArray()) {
            JsonArray left = google.getAsJsonArray();
            JsonArray right = ours.getAsJsonArray();
            for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
                String found =
                        difference(
                                at + "[" + i + "]",
                                i < left.size() ? left.get(i) : JsonNull.INSTANCE,
                                i < right.size() ? right.get(i) : new JsonPrimitive("nothing"));
                if (found != null) {
                    return found;
                }
            }
            return null;
        }
        return google.equals(ours) ? null : at + ": " + google + " and " + ours;
    }
}
