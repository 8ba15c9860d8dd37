package petrichor.frontends.appengine.blobstore;

import com.google.datastore.v1.Entity;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.Datastore;
import petrichor.frontends.appengine.images.ImageBlobs;
import petrichor.frontends.appengine.images.ServingPages;
import petrichor.services.blobs.BlobObject;
import petrichor.services.blobs.Blobs;
import petrichor.services.blobs.content.ContentReader;

/**
 * The blobs of {@code blobstore} as images. An entity of a reserved kind represents a URL that
 * serves a blob. Thread-safe.
 */
public final class BlobImages implements ImageBlobs {
    private final Supplier<Blobs> blobs;
    private final ReservedEntities served;
    private final Function<String, String> base;

    /**
     * @param datastore the current one, which a reset replaces
     * @param base beginning of the URLs of an app's blobs, by project
     */
    public BlobImages(
            Supplier<Blobs> blobs, Supplier<Datastore> datastore, Function<String, String> base) {
        this.blobs = blobs;
        this.served = new ReservedEntities(datastore, "__BlobServingUrl__");
        this.base = base;
    }

    @Override
    public OptionalLong bytes(String project, String blobKey) {
        Optional<BlobObject> blob = BlobKeys.find(blobs.get(), project, blobKey);
        return blob.isPresent() ? OptionalLong.of(blob.get().bytes()) : OptionalLong.empty();
    }

    @Override
    public Optional<byte[]> read(String project, String blobKey, int bytesMax) {
        return BlobKeys.find(blobs.get(), project, blobKey).map(blob -> content(blob, bytesMax));
    }

    private byte[] content(BlobObject blob, int bytesMax) {
        if (blob.bytes() > bytesMax) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the blob has {bytes} bytes, an image may have {bytesMax}",
                    "bytes",
                    blob.bytes(),
                    "bytesMax",
                    bytesMax);
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream((int) blob.bytes());
        try (ContentReader reader = blobs.get().objects().read(blob, 0, blob.bytes())) {
            for (byte[] piece = reader.next(); piece != null; piece = reader.next()) {
                all.writeBytes(piece);
            }
        }
        return all.toByteArray();
    }

    @Override
    public Optional<String> serve(String project, String blobKey) {
        if (bytes(project, blobKey).isEmpty()) {
            return Optional.empty();
        }
        Entity entity = Entity.newBuilder().setKey(served.key(project, blobKey)).build();
        served.put(project, List.of(entity));
        return Optional.of(base.apply(project) + ServingPages.path(project, blobKey));
    }

    @Override
    public boolean isServed(String project, String blobKey) {
        return served.contains(project, blobKey);
    }

    @Override
    public void stopServing(String project, String blobKey) {
        served.delete(project, blobKey);
    }
}
