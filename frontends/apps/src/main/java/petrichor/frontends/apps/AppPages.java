package petrichor.frontends.apps;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.apps.catalog.AppCatalog;
import petrichor.apps.catalog.AppRecord;
import petrichor.apps.catalog.ServiceRecord;
import petrichor.apps.catalog.Traffic;
import petrichor.apps.hosting.FleetStatus;
import petrichor.apps.hosting.Hosting;
import petrichor.apps.hosting.cluster.ClusterPlan;
import petrichor.apps.hosting.cluster.VersionReading;
import petrichor.apps.instances.LogLine;
import petrichor.apps.instances.LogTail;
import petrichor.apps.router.table.VersionName;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.Scope;
import petrichor.frontends.http.Page;

/**
 * {@code GET /petrichor/v1/apps}: all apps. {@code GET /petrichor/v1/apps/APP}: one with its
 * instances. {@code POST /petrichor/v1/apps/APP}: a change, such as {@code {"action": "rollback"}}.
 * {@code GET /petrichor/v1/apps/APP/log?service=&version=&lines=&follow=}: output of instances.
 * Thread-safe.
 */
public final class AppPages {
    private static final int LINES = 100;
    private static final int LINES_MAX = 10_000;
    private static final Duration FOLLOW = Duration.ofSeconds(10);
    private static final Duration EXISTING = Duration.ofMillis(1);

    private final AppCatalog catalog;
    private final Supplier<Hosting> hosting;
    private final Function<VersionName, String> url;

    /**
     * @param hosting is called by the first page that needs it
     * @param url of the service of a version
     */
    public AppPages(
            AppCatalog catalog, Supplier<Hosting> hosting, Function<VersionName, String> url) {
        this.catalog = catalog;
        this.hosting = hosting;
        this.url = url;
    }

    public List<Page> pages() {
        return List.of(
                new Page(
                        "GET",
                        "/petrichor/v1/apps",
                        Page.Access.TOKEN,
                        Page.Lane.CALLS,
                        this::list),
                new Page(
                        "GET",
                        "/petrichor/v1/apps/{app}",
                        Page.Access.PROJECT_VIEW,
                        Page.Lane.CALLS,
                        this::show),
                new Page(
                        "POST",
                        "/petrichor/v1/apps/{app}",
                        Page.Access.PROJECT_DEPLOY,
                        Page.Lane.CALLS,
                        this::change),
                new Page(
                        "GET",
                        "/petrichor/v1/apps/{app}/log",
                        Page.Access.PROJECT_VIEW,
                        Page.Lane.CALLS,
                        this::log));
    }

    /** Those of the token's projects. */
    private Page.Answer list(Page.Request request) {
        request.attempt().require(Role.VIEW);
        Scope scope = request.attempt().caller().scope();
        JsonArray apps = new JsonArray();
        catalog.list().stream()
                .filter(app -> scope.includesAllOf(app.name()))
                .forEach(app -> apps.add(json(app)));
        JsonObject all = new JsonObject();
        all.add("apps", apps);
        return Page.Answer.json(200, all + "\n");
    }

    private Page.Answer show(Page.Request request) {
        AppRecord app = catalog.require(request.inPath("app"));
        JsonObject json = json(app);
        JsonArray fleets = new JsonArray();
        hosting.get().status(app.name()).forEach(status -> fleets.add(json(status)));
        json.add("fleets", fleets);
        return Page.Answer.json(200, json + "\n");
    }

    private Page.Answer change(Page.Request request) {
        String app = request.inPath("app");
        JsonObject wanted = parsed(request.body());
        String action = text(wanted, "action", "");
        String service = text(wanted, "service", AppRecord.DEFAULT_SERVICE);
        Hosting host = hosting.get();
        AppRecord after =
                switch (action) {
                    case "promote" ->
                            host.split(app, service, Traffic.all(text(wanted, "version", "")));
                    case "split" -> host.split(app, service, traffic(wanted));
                    case "rollback" -> host.rollback(app, service);
                    case "start", "stop" ->
                            host.setServing(version(app, service, wanted), action.equals("start"));
                    case "delete-version" -> host.deleteVersion(version(app, service, wanted));
                    case "delete" -> {
                        request.attempt().requireProject(Role.ADMIN, app);
                        AppRecord known = catalog.require(app);
                        host.delete(app);
                        yield known;
                    }
                    default ->
                            throw PetrichorException.invalid(
                                    "the action \"{action}\" is none of promote, split, rollback,"
                                            + " start, stop, delete-version and delete",
                                    "action",
                                    action);
                };
        return Page.Answer.json(200, json(after) + "\n");
    }

    static JsonObject parsed(byte[] body) {
        try {
            return JsonParser.parseString(new String(body, StandardCharsets.UTF_8))
                    .getAsJsonObject();
        } catch (JsonParseException | IllegalStateException invalid) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    invalid,
                    "the body is not a JSON object such as {example}",
                    "example",
                    "{\"action\": \"rollback\"}");
        }
    }

    static String text(JsonObject json, String name, String standard) {
        JsonElement value = json.get(name);
        return value == null || !value.isJsonPrimitive() ? standard : value.getAsString();
    }

    private static VersionName version(String app, String service, JsonObject wanted) {
        return new VersionName(app, service, text(wanted, "version", ""));
    }

    private static Traffic traffic(JsonObject wanted) {
        Map<String, Integer> shares = new HashMap<>();
        if (wanted.get("shares") instanceof JsonObject given) {
            given.entrySet()
                    .forEach(
                            share ->
                                    shares.put(
                                            share.getKey(),
                                            (int)
                                                    Math.round(
                                                            share.getValue().getAsDouble()
                                                                    * Traffic.WHOLE)));
        }
        return new Traffic(
                switch (text(wanted, "by", "random")) {
                    case "cookie" -> Traffic.By.COOKIE;
                    case "ip" -> Traffic.By.IP;
                    case "random" -> Traffic.By.RANDOM;
                    default ->
                            throw PetrichorException.invalid(
                                    "traffic is split by cookie, ip or random");
                },
                shares);
    }

    private Page.Answer log(Page.Request request) {
        Map<String, String> asked = request.parameters();
        int lines;
        try {
            lines = Integer.parseInt(asked.getOrDefault("lines", Integer.toString(LINES)));
        } catch (NumberFormatException invalid) {
            lines = -1;
        }
        if (lines < 0 || lines > LINES_MAX) {
            throw PetrichorException.invalid(
                    "lines is a number from 0 to {linesMax}", "linesMax", LINES_MAX);
        }
        VersionName version =
                new VersionName(
                        request.inPath("app"),
                        asked.getOrDefault("service", AppRecord.DEFAULT_SERVICE),
                        asked.getOrDefault("version", newest(request.inPath("app"), asked)));
        LogTail tail = hosting.get().logs(version, lines);
        return Page.Answer.streamed(
                "text/plain; charset=utf-8", new LogText(tail, "true".equals(asked.get("follow"))));
    }

    /** The version with the largest share. */
    private String newest(String app, Map<String, String> asked) {
        ServiceRecord service =
                catalog.require(app)
                        .service(asked.getOrDefault("service", AppRecord.DEFAULT_SERVICE));
        return service.traffic()
                .flatMap(
                        split ->
                                split.shares().entrySet().stream()
                                        .max(Map.Entry.comparingByValue()))
                .map(Map.Entry::getKey)
                .orElse("");
    }

    /** The lines of a log as a response. */
    private static final class LogText implements Page.Rest {
        private static final byte[] NOTHING = new byte[0];
        private final LogTail tail;
        private final boolean follow;

        LogText(LogTail tail, boolean follow) {
            this.tail = tail;
            this.follow = follow;
        }

        @Override
        public byte @Nullable [] get() {
            try {
                List<LogLine> lines = tail.read(follow ? FOLLOW : EXISTING);
                if (lines.isEmpty()) {
                    return follow ? NOTHING : null;
                }
                StringBuilder text = new StringBuilder();
                for (LogLine line : lines) {
                    text.append(line.time())
                            .append(' ')
                            .append(line.instance())
                            .append(' ')
                            .append(line.stream().name().toLowerCase(Locale.ROOT))
                            .append(' ')
                            .append(line.text())
                            .append('\n');
                }
                return text.toString().getBytes(StandardCharsets.UTF_8);
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
                return null;
            }
        }

        @Override
        public void close() {}
    }

    private JsonObject json(AppRecord app) {
        JsonObject json = new JsonObject();
        json.addProperty("project", app.name());
        JsonArray services = new JsonArray();
        for (ServiceRecord service : app.services().values()) {
            JsonObject one = new JsonObject();
            one.addProperty("service", service.name());
            one.addProperty("url", url.apply(new VersionName(app.name(), service.name(), "any")));
            JsonArray versions = new JsonArray();
            service.versions()
                    .values()
                    .forEach(
                            version -> {
                                JsonObject each = new JsonObject();
                                each.addProperty("version", version.name());
                                each.addProperty("sources", version.sources());
                                each.addProperty(
                                        "deployed",
                                        Instant.EPOCH
                                                .plus(version.origin().micros(), ChronoUnit.MICROS)
                                                .toString());
                                each.addProperty("by", version.origin().by());
                                each.addProperty("serving", version.serving());
                                each.addProperty(
                                        "share",
                                        service.traffic()
                                                        .map(Traffic::shares)
                                                        .orElse(Map.of())
                                                        .getOrDefault(version.name(), 0)
                                                / (double) Traffic.WHOLE);
                                versions.add(each);
                            });
            one.add("versions", versions);
            services.add(one);
        }
        json.add("services", services);
        return json;
    }

    /** Adds the instances of the other servers of a cluster. */
    private static void elsewhere(
            FleetStatus.Elsewhere elsewhere, JsonObject fleet, JsonArray instances) {
        if (elsewhere.self().isEmpty()) {
            return;
        }
        fleet.addProperty(
                "decidedBy", elsewhere.lead().isEmpty() ? elsewhere.self() : elsewhere.lead());
        JsonObject shares = new JsonObject();
        new TreeMap<>(elsewhere.shares()).forEach(shares::addProperty);
        fleet.add("shares", shares);
        for (ClusterPlan.There there : elsewhere.servers()) {
            for (VersionReading.Running running : there.reading().instances()) {
                JsonObject one = new JsonObject();
                one.addProperty("instance", running.id());
                one.addProperty("state", running.ready() ? "ready" : "starting");
                one.addProperty("requests", running.requests());
                one.addProperty("reason", running.reason());
                one.addProperty("server", there.server());
                instances.add(one);
            }
        }
    }

    private static JsonObject json(FleetStatus status) {
        JsonObject json = new JsonObject();
        json.addProperty("service", status.version().service());
        json.addProperty("version", status.version().version());
        json.addProperty("waiting", status.waiting());
        json.addProperty("explanation", status.explanation());
        status.failure().ifPresent(failure -> json.addProperty("failure", failure));
        JsonArray members = new JsonArray();
        for (FleetStatus.Member member : status.members()) {
            JsonObject one = new JsonObject();
            one.addProperty("instance", member.id());
            one.addProperty(
                    "state", member.state().getClass().getSimpleName().toLowerCase(Locale.ROOT));
            one.addProperty("requests", member.requests());
            one.addProperty("reason", member.reason());
            member.usage().memoryBytes().ifPresent(bytes -> one.addProperty("memoryBytes", bytes));
            if (!status.elsewhere().self().isEmpty()) {
                one.addProperty("server", status.elsewhere().self());
            }
            members.add(one);
        }
        elsewhere(status.elsewhere(), json, members);
        json.add("instances", members);
        return json;
    }
}
