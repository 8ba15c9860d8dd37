package petrichor.apps.builds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Node: a layer with node_modules, hard-linked into the app, because Node and its bundlers look for
 * packages beside the file that imports them; then the app's build script. Dependencies on files of
 * the app itself, and install scripts of the app, need its sources: then node_modules are installed
 * again for each change.
 */
final class NodeSteps implements BuildSteps {
    private static final String MODULES = "node_modules";

    /** npm rewrites it in place. */
    private static final String HIDDEN_LOCK = ".package-lock.json";

    private static final List<String> LOCKS = List.of("package-lock.json", "npm-shrinkwrap.json");
    private static final List<String> NPM_FILES =
            List.of(PackageJson.FILE, LOCKS.get(0), LOCKS.get(1), ".npmrc");

    /** A start script that needs neither npm nor a shell. */
    private static final Pattern PLAIN_START = Pattern.compile("node( [A-Za-z0-9_./=:@%+-]+)+");

    private final Path node;
    private final String version;
    private final @Nullable Path npm;
    private final @Nullable PackageJson json;
    private final String start;

    private NodeSteps(
            Path node,
            String version,
            @Nullable Path npm,
            @Nullable PackageJson json,
            String start) {
        this.node = node;
        this.version = version;
        this.npm = npm;
        this.json = json;
        this.start = start;
    }

    static NodeSteps of(BuildRun run) throws IOException {
        AppRuntime runtime = run.request().runtime();
        Set<String> others = new LinkedHashSet<>();
        List<Path> candidates = new ArrayList<>(run.tools().find("node"));
        candidates.addAll(run.tools().find("nodejs"));
        for (Path candidate : candidates) {
            String answer = run.tools().ask(candidate, List.of("--version"), run.app().user());
            String version = answer == null ? "" : answer.strip().replaceFirst("^v", "");
            if (!version.isEmpty() && runtime.isMatchedBy(version)) {
                return with(run, candidate, version);
            }
            if (!version.isEmpty()) {
                others.add(version);
            }
        }
        throw PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "{runtime} is not installed for the user of builds (found: {found}): install it, or"
                        + " choose an installed version",
                "runtime",
                runtime.title(),
                "found",
                others.isEmpty() ? "none" : String.join(", ", others));
    }

    private static NodeSteps with(BuildRun run, Path node, String version) throws IOException {
        if (!run.has(PackageJson.FILE)) {
            return new NodeSteps(node, version, null, null, start(run, null));
        }
        Path beside = node.resolveSibling("npm");
        List<Path> npms = new ArrayList<>(run.tools().find("npm"));
        if (npms.contains(beside)) {
            npms.addFirst(beside);
        }
        if (npms.isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "npm is not installed: install npm, which is part of Node.js or the package"
                            + " npm");
        }
        PackageJson json =
                PackageJson.read(run.request().sources().folder().resolve(PackageJson.FILE));
        return new NodeSteps(node, version, npms.getFirst(), json, start(run, json));
    }

    /** The default start command. */
    private static String start(BuildRun run, @Nullable PackageJson json) {
        String script = json == null ? null : json.scripts().get("start");
        if (script == null || json == null) {
            if (run.request().entrypoint() == null && !run.has("server.js")) {
                throw BuildSteps.noStart("start script in package.json, and no server.js");
            }
            return "exec node server.js";
        }
        boolean plain =
                PLAIN_START.matcher(script.strip()).matches()
                        && !json.scripts().containsKey("prestart")
                        && !json.scripts().containsKey("poststart");
        // Without npm, signals reach the app itself, and a process less needs memory.
        return plain ? "exec " + script.strip() : "exec npm start --silent";
    }

    @Override
    public String toolchain() {
        return "node %s %s".formatted(version, node);
    }

    @Override
    public Start build(BuildRun run) throws IOException {
        if (json != null && npm != null) {
            String script = json.buildScript();
            boolean apart = json.installsApart();
            BuildRun.Layer _ =
                    run.stage(
                            BuildStage.DEPENDENCIES,
                            () ->
                                    apart
                                            ? layer(run, npm, script != null)
                                            : installInApp(run, npm, script != null));
            if (script != null) {
                int _ = run.stage(BuildStage.COMPILE, () -> runScript(run, npm, json, script));
            }
        }
        return Start.of(
                run.request().entrypoint(),
                start,
                Map.of(
                        "PATH", Tools.path(executables(run.publishedContent().resolve("app"))),
                        "NODE_ENV", "production",
                        "npm_config_update_notifier", "false",
                        "npm_config_logs_max", "0"));
    }

    private List<Path> executables(Path app) {
        List<Path> folders = new ArrayList<>(List.of(app.resolve(MODULES).resolve(".bin")));
        folders.add(node.getParent());
        if (npm != null) {
            folders.add(npm.getParent());
        }
        return folders;
    }

    private BuildRun.Layer layer(BuildRun run, Path npm, boolean development) throws IOException {
        Path sources = run.request().sources().folder();
        ContentHash key =
                new ContentHash()
                        .add("node-layer-1")
                        .add(toolchain())
                        .add(npm.toString())
                        .add(String.valueOf(development))
                        .add(run.request().environment());
        for (String file : NPM_FILES) {
            key.add(run.has(file) ? Files.readString(sources.resolve(file)) : "");
        }
        BuildRun.Layer layer =
                run.layer(
                        key.hex(),
                        (folder, _) -> {
                            for (String file : NPM_FILES) {
                                if (run.has(file)) {
                                    FileTrees.copy(
                                            sources.resolve(file),
                                            folder.resolve(file),
                                            run.app().user());
                                }
                            }
                            install(run, npm, folder, development);
                        });
        Path modules = layer.folder().resolve(MODULES);
        Path linked = run.appFolder().resolve(MODULES);
        FileTrees.delete(linked);
        if (Files.isDirectory(modules)) {
            FileTrees.link(modules, linked, run.app().user());
            Path lock = linked.resolve(HIDDEN_LOCK);
            if (Files.exists(lock)) {
                Files.delete(lock);
                FileTrees.copy(modules.resolve(HIDDEN_LOCK), lock, run.app().user());
            }
        }
        return layer;
    }

    private BuildRun.Layer installInApp(BuildRun run, Path npm, boolean development)
            throws IOException {
        run.downloads();
        install(run, npm, run.appFolder(), development);
        return new BuildRun.Layer(run.appFolder(), false);
    }

    private void install(BuildRun run, Path npm, Path folder, boolean development)
            throws IOException {
        boolean locked = LOCKS.stream().anyMatch(run::has);
        List<String> line = new ArrayList<>(List.of(npm.toString(), locked ? "ci" : "install"));
        line.add(development ? "--include=dev" : "--omit=dev");
        run.run(FailureReason.Source.NPM, line, folder, environment(run));
    }

    private int runScript(BuildRun run, Path npm, PackageJson json, String script)
            throws IOException {
        run.run(
                FailureReason.Source.SCRIPT,
                List.of(npm.toString(), "run", script),
                run.appFolder(),
                environment(run));
        if (json.hasDevelopmentDependencies()) {
            run.run(
                    FailureReason.Source.NPM,
                    List.of(npm.toString(), "prune", "--omit=dev", "--ignore-scripts"),
                    run.appFolder(),
                    environment(run));
        }
        return 0;
    }

    private Map<String, String> environment(BuildRun run) throws IOException {
        Map<String, String> more = new TreeMap<>();
        more.put("npm_config_cache", run.downloads("npm").toString());
        more.put("npm_config_update_notifier", "false");
        more.put("npm_config_fund", "false");
        more.put("npm_config_audit", "false");
        more.put("npm_config_progress", "false");
        return run.environment(executables(run.appFolder()), more);
    }
}
