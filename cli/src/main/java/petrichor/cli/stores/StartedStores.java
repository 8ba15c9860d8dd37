package petrichor.cli.stores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.deployment.StoreCluster;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options that select one datastore, or all that were started from this folder. */
final class StartedStores {
    @Parameters(
            paramLabel = "NAME",
            arity = "0..1",
            completionCandidates = StoreNames.class,
            description = "The datastore, such as cassandra. Default: all started ones")
    private @Nullable String name;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description =
                    "Folder of the datastore, or without NAME of several datastores. Default:"
                            + " ./petrichor-stores/NAME, ./petrichor-stores")
    private @Nullable Path data;

    /** The clusters by name; NOT_FOUND if the named one was never started. */
    Map<String, StoreCluster> clusters() {
        if (name != null) {
            Path folder = Optional.ofNullable(data).orElse(StoreChoice.usualFolder(name));
            return Map.of(name, StoreCluster.open(StoreChoice.deployment(name), folder));
        }
        Path folder = Optional.ofNullable(data).orElse(StoreChoice.folderOfAll());
        Map<String, StoreCluster> all = new TreeMap<>();
        try (Stream<Path> inside = Files.isDirectory(folder) ? Files.list(folder) : Stream.of()) {
            Stream.concat(Stream.of(folder), inside)
                    .filter(StoreCluster::existsIn)
                    .forEach(one -> all.put(one.getFileName().toString(), open(one)));
        } catch (IOException failed) {
            throw FileProblem.of("cannot list the datastores in " + folder, failed);
        }
        return all;
    }

    private static StoreCluster open(Path folder) {
        return StoreCluster.open(StoreChoice.deployment(StoreCluster.storeIn(folder)), folder);
    }
}
