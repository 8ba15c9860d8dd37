package petrichor.apps.manifest;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import petrichor.base.PetrichorException;

/**
 * App Engine's {@code app.yaml}: one version of one service. Immutable.
 *
 * @param target what is deployed
 * @param build how a version is made from the app's folder
 * @param execution how an instance runs
 * @param routes which URLs it serves
 * @param scaling how many instances run
 * @param warnings what is accepted and has no effect, or another one, in the order of the file
 */
public record AppYaml(
        Target target,
        Build build,
        Execution execution,
        Routes routes,
        AppScaling scaling,
        List<ManifestWarning> warnings) {
    /** The service of an app that does not name one. */
    public static final String DEFAULT_SERVICE = "default";

    /**
     * @param project empty for that of the command
     * @param version empty for a new name
     */
    public record Target(Optional<String> project, String service, Optional<String> version) {}

    /**
     * @param skipFiles empty if the file does not say; then {@code .gcloudignore} decides
     * @param variables of the environment of the build, in the order of the file
     * @param main the folder of Go's main package
     */
    public record Build(
            Optional<FilePatterns> skipFiles,
            Map<String, String> variables,
            Optional<String> main) {
        public Build {
            variables = Collections.unmodifiableMap(new LinkedHashMap<>(variables));
        }
    }

    /**
     * @param entrypoint a command of the shell; empty for the default of the runtime
     * @param variables of the environment, in the order of the file
     */
    public record Execution(
            AppRuntime runtime,
            Optional<String> entrypoint,
            InstanceClass instanceClass,
            Map<String, String> variables,
            boolean appEngineApis) {
        public Execution {
            variables = Collections.unmodifiableMap(new LinkedHashMap<>(variables));
        }
    }

    public AppYaml {
        warnings = List.copyOf(warnings);
        InstanceClass instanceClass = execution.instanceClass();
        if (instanceClass.isAutomatic() != scaling.isAutomatic()) {
            throw PetrichorException.invalid(
                    "instance_class is {instanceClass}; classes that begin with F are for"
                            + " automatic_scaling, those with B for basic_scaling and"
                            + " manual_scaling.",
                    "instanceClass",
                    instanceClass);
        }
    }

    /** An app without {@code app.yaml}. */
    public static AppYaml of(AppRuntime runtime) {
        return new AppYaml(
                new Target(Optional.empty(), DEFAULT_SERVICE, Optional.empty()),
                new Build(Optional.empty(), Map.of(), Optional.empty()),
                new Execution(runtime, Optional.empty(), InstanceClass.F1, Map.of(), false),
                Routes.DEFAULT,
                AppScaling.Automatic.DEFAULT,
                List.of());
    }

    /**
     * @param file name for errors
     * @throws PetrichorException INVALID_ARGUMENT with the line, if the text is not valid
     */
    public static AppYaml parse(String file, String text) {
        return new AppYamlReader(file, text).read();
    }
}
