package petrichor.apps.manifest;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.yaml.YamlMapping;
import petrichor.yaml.YamlScalar;

/** Reads {@code app.yaml}, except for handlers and scaling. */
final class AppYamlReader {
    static final int VARIABLES_MAX = 1_000;
    static final int SKIP_FILES_MAX = 1_000;

    /** Of variables, commands and names of files. */
    static final int TEXT_CHARACTERS_MAX = 32_768;

    private static final Pattern VARIABLE = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");
    private static final Pattern PROJECT =
            Pattern.compile("([a-z0-9-]{1,100}~)?([a-z0-9.][a-z0-9.-]{0,99}:)?" + name(100));
    private static final Pattern SERVICE = Pattern.compile(name(63));

    /** Set by the platform, so that an app cannot set them. */
    private static final Pattern PLATFORM =
            Pattern.compile("PORT|GAE_[A-Z_]*|GOOGLE_CLOUD_PROJECT|API_HOST|API_PORT");

    private static final String FIRST_GENERATION =
            "has no effect: it belongs to App Engine's first generation of runtimes.";
    private static final String FLEXIBLE =
            "has no effect: it belongs to App Engine's flexible environment.";

    /** Known and not supported, and what happens instead. */
    private static final Map<String, String> IGNORED =
            new TreeMap<>(
                    Map.ofEntries(
                            Map.entry("admin_console", FIRST_GENERATION),
                            Map.entry("api_config", FIRST_GENERATION),
                            Map.entry("api_version", FIRST_GENERATION),
                            Map.entry("auto_id_policy", FIRST_GENERATION),
                            Map.entry("backends", FIRST_GENERATION),
                            Map.entry("beta_settings", FLEXIBLE),
                            Map.entry("builtins", FIRST_GENERATION),
                            Map.entry("code_lock", FIRST_GENERATION),
                            Map.entry("derived_file_type", FIRST_GENERATION),
                            Map.entry("endpoints_api_service", FLEXIBLE),
                            Map.entry("health_check", FLEXIBLE),
                            Map.entry(
                                    "includes",
                                    "has no effect: write the handlers of the included files into"
                                            + " this one."),
                            Map.entry("liveness_check", FLEXIBLE),
                            Map.entry("network", FLEXIBLE),
                            Map.entry("nobuild_files", FIRST_GENERATION),
                            Map.entry("readiness_check", FLEXIBLE),
                            Map.entry("resources", FLEXIBLE),
                            Map.entry("runtime_channel", FIRST_GENERATION),
                            Map.entry("runtime_config", FLEXIBLE),
                            Map.entry(
                                    "service_account",
                                    "has no effect: an app has one account, of its project."),
                            Map.entry("source_language", FIRST_GENERATION),
                            Map.entry(
                                    "standard_websocket",
                                    "has no effect: WebSockets are always available."),
                            Map.entry("threadsafe", FIRST_GENERATION),
                            Map.entry("vm", FLEXIBLE),
                            Map.entry("vm_health_check", FLEXIBLE),
                            Map.entry("vm_settings", FLEXIBLE),
                            Map.entry(
                                    "vpc_access_connector",
                                    "has no effect: instances use the network of their server."),
                            Map.entry("zones", FLEXIBLE)));

    private static final Set<String> SUPPORTED =
            Set.of(
                    "app_engine_apis",
                    "application",
                    "automatic_scaling",
                    "basic_scaling",
                    "build_env_variables",
                    "default_expiration",
                    "entrypoint",
                    "env",
                    "env_variables",
                    "error_handlers",
                    "handlers",
                    "inbound_services",
                    "instance_class",
                    "libraries",
                    "main",
                    "manual_scaling",
                    "module",
                    "project",
                    "runtime",
                    "service",
                    "skip_files",
                    "version");

    private final YamlMapping root;
    private final Warnings warnings = new Warnings();

    AppYamlReader(String file, String text) {
        Set<String> known = new TreeSet<>(SUPPORTED);
        known.addAll(IGNORED.keySet());
        root = YamlMapping.parse(file, text, known);
    }

    AppYaml read() {
        warnings.addIgnored(root, "", IGNORED);
        AppYaml.Target target = target();
        AppRuntime runtime = runtime();
        checkEnvironment();
        Routes routes = new RoutesReader(root, warnings).read();
        AppScaling scaling = new ScalingReader(root, warnings).read();
        AppYaml.Build build =
                new AppYaml.Build(skipFiles(), variables("build_env_variables"), text("main"));
        AppYaml.Execution execution =
                new AppYaml.Execution(
                        runtime,
                        text("entrypoint"),
                        instanceClass(scaling),
                        variables("env_variables"),
                        root.flag("app_engine_apis").orElse(false));
        return root.checked(
                () -> new AppYaml(target, build, execution, routes, scaling, warnings.inOrder()));
    }

    private static String name(int charactersMax) {
        return "(?!-)[a-z0-9-]{0," + (charactersMax - 1) + "}[a-z0-9]";
    }

    private AppYaml.Target target() {
        return new AppYaml.Target(
                oneOf("project", "application", PROJECT),
                oneOf("service", "module", SERVICE).orElse(AppYaml.DEFAULT_SERVICE),
                root.read(
                        "version",
                        "a name of lower-case letters, digits and hyphens, without -dot-",
                        AppYamlReader::version));
    }

    private static @Nullable String version(String text) {
        return SERVICE.matcher(text).matches()
                        && !text.contains("-dot-")
                        && !text.startsWith("ah-builtin")
                ? text
                : null;
    }

    /** A key that had another name. */
    private Optional<String> oneOf(String name, String formerName, Pattern pattern) {
        if (root.has(name) && root.has(formerName)) {
            throw root.invalid(formerName, formerName + " is the former name of " + name);
        }
        if (root.has(formerName)) {
            warnings.add(root.line(formerName), formerName, "is now called " + name + ".");
        }
        return root.read(
                root.has(formerName) ? formerName : name,
                "a name of lower-case letters, digits and hyphens",
                text -> pattern.matcher(text).matches() ? text : null);
    }

    private AppRuntime runtime() {
        String name = root.required("runtime");
        return AppRuntime.parse(name)
                .orElseThrow(
                        () ->
                                root.invalid(
                                        "runtime",
                                        "runtime is \""
                                                + name
                                                + "\"; it must be "
                                                + AppRuntime.NAMES));
    }

    private void checkEnvironment() {
        if (root.has("libraries")) {
            throw root.invalid(
                    "libraries",
                    "libraries are for python27 only; list packages in requirements.txt");
        }
        String environment =
                root.read(
                                "env",
                                "standard or flex",
                                text ->
                                        switch (text) {
                                            case "1", "standard" -> "standard";
                                            case "2", "flex", "flexible" -> "flex";
                                            default -> null;
                                        })
                        .orElse("standard");
        if (environment.equals("flex")) {
            warnings.add(root.line("env"), "env", "the app runs like one of the standard one.");
        }
    }

    private InstanceClass instanceClass(AppScaling scaling) {
        return root.read("instance_class", "one of " + classes(), AppYamlReader::instanceClass)
                .orElse(scaling.isAutomatic() ? InstanceClass.F1 : InstanceClass.B2);
    }

    private static String classes() {
        StringBuilder names = new StringBuilder();
        for (InstanceClass each : InstanceClass.values()) {
            names.append(names.isEmpty() ? "" : ", ").append(each);
        }
        return names.toString();
    }

    private static @Nullable InstanceClass instanceClass(String text) {
        for (InstanceClass each : InstanceClass.values()) {
            if (each.name().equalsIgnoreCase(text)) {
                return each;
            }
        }
        return null;
    }

    private Optional<String> text(String field) {
        return root.read(
                field,
                "a text of up to " + TEXT_CHARACTERS_MAX + " characters",
                text -> text.length() <= TEXT_CHARACTERS_MAX ? text : null);
    }

    private Map<String, String> variables(String field) {
        Map<String, String> variables = new LinkedHashMap<>();
        root.entries(field, VARIABLES_MAX)
                .forEach((name, value) -> variables.put(name, variable(field, name, value)));
        return variables;
    }

    private String variable(String field, String name, YamlScalar value) {
        if (!VARIABLE.matcher(name).matches()) {
            throw root.invalid(
                    value,
                    field + " has the name \"" + name + "\"; write letters, digits and _ only");
        }
        String text = ScalarText.of(value);
        if (text.length() > TEXT_CHARACTERS_MAX || text.indexOf('\0') >= 0) {
            throw root.invalid(
                    value,
                    field + "." + name + " is too long or contains a character with the code 0");
        }
        if (PLATFORM.matcher(name).matches() && field.equals("env_variables")) {
            warnings.add(value.line(), field + "." + name, "is set by the platform.");
        } else if (!text.equals(value.text())) {
            warnings.add(
                    value.line(),
                    field + "." + name,
                    "is \"" + text + "\", as on App Engine; quote it to pass it as it is written.");
        }
        return text;
    }

    private Optional<FilePatterns> skipFiles() {
        List<YamlScalar> expressions = root.scalars("skip_files", SKIP_FILES_MAX);
        if (!root.has("skip_files")) {
            return Optional.empty();
        }
        return Optional.of(
                new FilePatterns(
                        expressions.stream()
                                .map(each -> root.checked(each, () -> pattern(each)))
                                .toList()));
    }

    /** Google's tools read an expression of several lines as one. */
    private static UrlPattern pattern(YamlScalar expression) {
        return UrlPattern.of(expression.text().replaceAll("[\r\n]", ""));
    }
}
