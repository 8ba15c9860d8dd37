package petrichor.apps.hosting;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import petrichor.apps.builds.SourceArchive;
import petrichor.apps.builds.SourceResult;
import petrichor.apps.builds.Sources;
import petrichor.apps.catalog.StoredSources;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * The sources of versions: those of this server, and those that the servers of a cluster share.
 * Thread-safe; blocks.
 */
final class VersionSources {
    private final SourceArchive own;
    private final Optional<StoredSources> shared;

    /**
     * @param shared empty for a standalone server
     */
    VersionSources(SourceArchive own, Optional<StoredSources> shared) {
        this.own = own;
        this.shared = shared;
    }

    /** NOT_FOUND if neither this server nor the store has them. */
    Sources require(String hash) {
        return own.find(hash)
                .or(() -> shared.flatMap(store -> fetched(store, hash)))
                .orElseThrow(
                        () ->
                                PetrichorException.of(
                                        ErrorCode.NOT_FOUND,
                                        "its sources are not on this server; deploy it again"));
    }

    private Optional<Sources> fetched(StoredSources store, String hash) {
        Path archive = temporary();
        try {
            try (OutputStream out = Files.newOutputStream(archive)) {
                if (!store.get(hash, out)) {
                    return Optional.empty();
                }
            }
            return switch (own.unpack(archive)) {
                case SourceResult.Stored(Sources sources) when sources.hash().equals(hash) ->
                        Optional.of(sources);
                case SourceResult.Stored(Sources sources) -> throw damaged(hash, sources.hash());
                case SourceResult.Refused(String reason) -> throw damaged(hash, reason);
            };
        } catch (IOException e) {
            throw FileProblem.of("cannot write the archive of sources", e);
        } finally {
            delete(archive);
        }
    }

    private static PetrichorException damaged(String hash, String found) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "the stored sources {hash} are damaged ({found}); deploy the app again",
                "hash",
                hash,
                "found",
                found);
    }

    /** From now on the other servers can build the version. */
    void share(Sources sources) {
        if (shared.isPresent()) {
            Path archive = temporary();
            try {
                own.pack(sources, archive);
                shared.get().put(sources.hash(), archive);
            } finally {
                delete(archive);
            }
        }
    }

    private static Path temporary() {
        try {
            return Files.createTempFile("petrichor-sources", ".tar.gz");
        } catch (IOException e) {
            throw FileProblem.of("cannot create the archive of sources", e);
        }
    }

    private static void delete(Path archive) {
        try {
            Files.deleteIfExists(archive);
        } catch (IOException e) {
            throw FileProblem.of("cannot delete " + archive, e);
        }
    }
}
