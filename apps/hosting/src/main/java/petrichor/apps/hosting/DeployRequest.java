package petrichor.apps.hosting;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.apps.builds.IgnorePatterns;
import petrichor.apps.builds.SourceArchive;
import petrichor.apps.builds.SourceResult;
import petrichor.base.Cancellation;

/**
 * A deployment.
 *
 * @param app empty for the project that app.yaml names
 * @param version empty for the one that app.yaml names, or a new one
 * @param promote whether the version gets all requests of its service
 * @param by who deploys; empty if that is unknown
 */
public record DeployRequest(
        Origin origin, Optional<String> app, Optional<String> version, boolean promote, String by) {
    /** Where the sources are. */
    public sealed interface Origin {
        record Folder(Path folder) implements Origin {}

        record Zip(Path archive) implements Origin {}

        record TarGz(Path archive) implements Origin {}

        /**
         * @param branch null for the default branch
         */
        record Git(String url, @Nullable String branch) implements Origin {}

        /** Keeps them. */
        default SourceResult read(SourceArchive archive, Cancellation cancellation) {
            return switch (this) {
                case Folder(Path folder) -> archive.folder(folder, IgnorePatterns.NONE);
                case Zip(Path file) -> archive.zip(file, IgnorePatterns.NONE);
                case TarGz(Path file) -> archive.tarGz(file, IgnorePatterns.NONE);
                case Git(String url, String branch) ->
                        archive.git(url, branch, IgnorePatterns.NONE, cancellation);
            };
        }
    }
}
