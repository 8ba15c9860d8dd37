package petrichor.services.blobs.s3;

import java.net.URI;
import java.util.Properties;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.S3Proxy;
import org.jclouds.ContextBuilder;
import org.jclouds.blobstore.BlobStore;
import org.jclouds.blobstore.BlobStoreContext;

/** An S3 server of another maker on a free port, with its objects in memory. */
final class S3ProxyServer {
    static final String KEY = "test-key";
    static final String SECRET = "test-secret";
    static final String BUCKET = "contents";

    final BlobStore objects;
    private final BlobStoreContext context;
    private final S3Proxy proxy;

    S3ProxyServer() throws Exception {
        context =
                ContextBuilder.newBuilder("transient")
                        .credentials("unused", "unused")
                        .overrides(new Properties())
                        .build(BlobStoreContext.class);
        objects = context.getBlobStore();
        objects.createContainerInLocation(null, BUCKET);
        proxy =
                S3Proxy.builder()
                        .blobStore(objects)
                        .endpoint(URI.create("http://127.0.0.1:0"))
                        .awsAuthentication(AuthenticationType.AWS_V4, KEY, SECRET)
                        .build();
        proxy.start();
    }

    S3Address address(String prefix) {
        return S3Address.parse(
                "s3://" + BUCKET + "/" + prefix + "?endpoint=http://127.0.0.1:" + proxy.getPort());
    }

    void stop() throws Exception {
        proxy.stop();
        context.close();
    }
}
