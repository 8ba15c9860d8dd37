package petrichor.frontends.appengine.blobstore;

import com.google.appengine.api.blobstore.BlobstoreServicePb.DeleteBlobRequest;
import com.google.apphosting.base.protos.api.RemoteApiPb.Response;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.AppEngineFrontEnd;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.wire.CompletedUpload;
import petrichor.frontends.appengine.wire.UploadedBlob;
import petrichor.rpc.CallFailure;

/** Describes blobs by calls of {@link BlobstoreApi} at the owner of the database. Thread-safe. */
public final class RoutedDescriptions implements UploadPages.Descriptions {
    private static final String API = "blobstore";
    private static final Duration CALL_MAX = Duration.ofSeconds(30);

    private final AppEngineFrontEnd frontEnd;

    public RoutedDescriptions(AppEngineFrontEnd frontEnd) {
        this.frontEnd = frontEnd;
    }

    @Override
    public void put(String project, List<UploadedBlob> uploaded) {
        call(
                project,
                BlobstoreApi.COMPLETE,
                CompletedUpload.newBuilder().addAllBlobs(uploaded).build().toByteString());
    }

    @Override
    public void delete(String project, List<UploadedBlob> uploaded) {
        call(
                project,
                "DeleteBlob",
                DeleteBlobRequest.newBuilder()
                        .addAllBlobKey(uploaded.stream().map(UploadedBlob::getBlobKey).toList())
                        .build()
                        .toByteString());
    }

    private void call(String project, String method, ByteString request) {
        byte[] answer;
        try {
            answer =
                    frontEnd.call(
                                    CallingApp.of(project),
                                    API,
                                    method,
                                    request,
                                    Cancellation.after(CALL_MAX.toNanos()))
                            .join();
        } catch (CompletionException failed) {
            throw CallFailure.cause(failed) instanceof RuntimeException cause ? cause : failed;
        }
        try {
            if (Response.parseFrom(answer).hasResponse()) {
                return;
            }
        } catch (InvalidProtocolBufferException malformed) {
            throw new IllegalStateException("this server encodes its responses", malformed);
        }
        throw PetrichorException.of(
                ErrorCode.INTERNAL,
                "the blobs of a form could not be described: {method} failed",
                "method",
                method);
    }
}
