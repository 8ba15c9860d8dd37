package petrichor.server;

import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import java.io.IOException;
import java.util.Base64;
import java.util.Map;

/** Messages of the bundled services, in Protocol Buffers' text format. */
final class AppMessages {
    private static final Map<String, String> PACKAGES =
            Map.ofEntries(
                    Map.entry("DatastoreV3Pb", "com.google.apphosting.datastore.proto2api"),
                    Map.entry("OnestoreEntity", "com.google.storage.onestore.v3.proto2api"),
                    Map.entry("MemcacheServicePb", "com.google.appengine.api.memcache"),
                    Map.entry("TaskQueuePb", "com.google.appengine.api.taskqueue"),
                    Map.entry("BlobstoreServicePb", "com.google.appengine.api.blobstore"),
                    Map.entry("ImagesServicePb", "com.google.appengine.api.images"),
                    Map.entry("SearchServicePb", "com.google.appengine.api.search.proto"),
                    Map.entry("MailServicePb", "com.google.appengine.api.mail"),
                    Map.entry("AppIdentityServicePb", "com.google.appengine.api.appidentity"),
                    Map.entry("URLFetchServicePb", "com.google.appengine.api.urlfetch"),
                    Map.entry("LogServicePb", "com.google.apphosting.api.logservice"));

    private static final String ENCODED = "base64 ";

    private AppMessages() {}

    /**
     * @param type such as {@code TaskQueuePb.TaskQueueAddRequest}
     * @param text in text format, or {@code base64} and the encoded message
     */
    static Message parse(String type, String text)
            throws ReflectiveOperationException, IOException {
        Message.Builder builder = builder(type);
        if (text.startsWith(ENCODED)) {
            builder.mergeFrom(Base64.getDecoder().decode(text.substring(ENCODED.length())));
        } else {
            TextFormat.merge(text, builder);
        }
        return builder.build();
    }

    private static Message.Builder builder(String type) throws ReflectiveOperationException {
        String[] names = type.split("\\.", -1);
        Class<?> message = Class.forName(PACKAGES.get(names[0]) + "." + names[0] + "$" + names[1]);
        return (Message.Builder) message.getMethod("newBuilder").invoke(null);
    }
}
