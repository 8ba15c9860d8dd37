package petrichor.frontends.appengine.blobstore;

import com.google.appengine.api.blobstore.BlobstoreServicePb.DeleteBlobRequest;
import com.google.protobuf.MessageLite;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.PlatformCalls;
import petrichor.frontends.appengine.wire.CompletedUpload;
import petrichor.frontends.appengine.wire.UploadedBlob;

/** Describes blobs by calls of {@link BlobstoreApi} at the owner of the database. Thread-safe. */
public final class RoutedDescriptions implements UploadPages.Descriptions {
    private static final String API = "blobstore";

    private final PlatformCalls calls;

    public RoutedDescriptions(PlatformCalls calls) {
        this.calls = calls;
    }

    @Override
    public void put(String project, List<UploadedBlob> uploaded) {
        call(
                project,
                BlobstoreApi.COMPLETE,
                CompletedUpload.newBuilder().addAllBlobs(uploaded).build());
    }

    @Override
    public void delete(String project, List<UploadedBlob> uploaded) {
        call(
                project,
                "DeleteBlob",
                DeleteBlobRequest.newBuilder()
                        .addAllBlobKey(uploaded.stream().map(UploadedBlob::getBlobKey).toList())
                        .build());
    }

    private void call(String project, String method, MessageLite request) {
        if (calls.call(project, API, method, request).isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "the blobs of a form could not be described: {method} failed",
                    "method",
                    method);
        }
    }
}
