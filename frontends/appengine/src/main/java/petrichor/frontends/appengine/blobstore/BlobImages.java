package petrichor.frontends.appengine.blobstore;

import java.io.ByteArrayOutputStream;
import java.util.Optional;
import java.util.function.Supplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.images.ImageBlobs;
import petrichor.services.blobs.BlobObject;
import petrichor.services.blobs.Blobs;
import petrichor.services.blobs.content.ContentReader;

/** The blobs of {@code blobstore} as sources of images. They have no serving URLs yet. */
public final class BlobImages implements ImageBlobs {
    private final Supplier<Blobs> blobs;

    public BlobImages(Supplier<Blobs> blobs) {
        this.blobs = blobs;
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
    public Optional<String> serve(String project, String blobKey, boolean secure) {
        return Optional.empty();
    }

    @Override
    public void stopServing(String project, String blobKey) {}
}
