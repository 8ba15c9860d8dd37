package petrichor.apps.builds;

import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * What to build.
 *
 * @param sources from {@link SourceArchive}
 * @param entrypoint a command of {@code /bin/sh} that starts the app; null for the default command
 *     of the runtime
 * @param environment variables that the build sees in addition to those of the platform; they are
 *     part of the content hash, and are never logged
 * @param app the app to which the build belongs: apps do not share layers, downloads and users
 */
public record BuildRequest(
        Sources sources,
        AppRuntime runtime,
        @Nullable String entrypoint,
        Map<String, String> environment,
        String app,
        BuildProgress progress) {
    private static final Pattern APP = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,199}");

    public BuildRequest {
        environment = Map.copyOf(environment);
        if (!APP.matcher(app).matches()) {
            throw PetrichorException.invalid(
                    "\"{app}\" is not an app id: use up to 100 letters, digits, \".\", \"_\" and"
                            + " \"-\", and start with a letter or digit",
                    "app",
                    app);
        }
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            if (!VARIABLE.matcher(variable.getKey()).matches()
                    || variable.getValue().indexOf('\0') >= 0) {
                throw PetrichorException.invalid(
                        "the build environment variable \"{name}\" is invalid: its name needs"
                                + " letters, digits and \"_\", and its value must not contain NUL",
                        "name",
                        variable.getKey());
            }
        }
        if (entrypoint != null && (entrypoint.isBlank() || entrypoint.indexOf('\0') >= 0)) {
            throw PetrichorException.invalid(
                    "the entrypoint is empty or contains NUL: give a shell command, or leave it"
                            + " out for the runtime's default");
        }
    }
}
