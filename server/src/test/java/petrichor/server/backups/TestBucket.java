package petrichor.server.backups;

import java.net.URI;
import java.util.Properties;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.S3Proxy;
import org.jclouds.ContextBuilder;
import org.jclouds.blobstore.BlobStore;
import org.jclouds.blobstore.BlobStoreContext;

/** A bucket of an S3 server of another maker, which can be stopped and started again. */
final class TestBucket {
    static final String KEY = "test-key";
    static final String SECRET = "test-secret";
    static final String NAME = "backups";

    final BlobStore objects;
    private final BlobStoreContext context;
    private S3Proxy proxy;

    TestBucket() throws Exception {
        context =
                ContextBuilder.newBuilder("transient")
                        .credentials("unused", "unused")
                        .overrides(new Properties())
                        .build(BlobStoreContext.class);
        objects = context.getBlobStore();
        objects.createContainerInLocation(null, NAME);
        proxy = started(0);
    }

    private S3Proxy started(int port) throws Exception {
        S3Proxy server =
                S3Proxy.builder()
                        .blobStore(objects)
                        .endpoint(URI.create("http://127.0.0.1:" + port))
                        .awsAuthentication(AuthenticationType.AWS_V4, KEY, SECRET)
                        .build();
        server.start();
        return server;
    }

    String place(String prefix) {
        return "s3://" + NAME + "/" + prefix + "?endpoint=http://127.0.0.1:" + proxy.getPort();
    }

    void stop() {
        try {
            proxy.stop();
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** With the same objects, at another port. */
    void restart() throws Exception {
        proxy = started(0);
    }

    void close() {
        stop();
        context.close();
    }
}
