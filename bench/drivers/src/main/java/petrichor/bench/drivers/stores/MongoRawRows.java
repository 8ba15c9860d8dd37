package petrichor.bench.drivers.stores;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCredential;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.connection.ClusterConnectionMode;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import petrichor.bench.drivers.RawRows;
import petrichor.kv.StoreUrl;

/**
 * A collection of documents with a key and a value, replaced as a whole; acknowledged by a majority
 * with their journals.
 */
final class MongoRawRows implements RawRows {
    private static final int PORT = 27017;
    private static final String COLLECTION = "raw";
    private static final String KEY = "_id";
    private static final String VALUE = "value";
    private static final ReplaceOptions UPSERT = new ReplaceOptions().upsert(true);

    private final MongoClient client;
    private final MongoCollection<BsonDocument> rows;

    private MongoRawRows(MongoClient client, String name) {
        this.client = client;
        MongoDatabase database = client.getDatabase(name);
        this.rows = database.getCollection(COLLECTION, BsonDocument.class);
        rows.drop();
        database.createCollection(COLLECTION);
    }

    static MongoRawRows open(StoreUrl url) {
        MongoClient client = MongoClients.create(settings(url));
        try {
            return new MongoRawRows(client, BareDrivers.name(url));
        } catch (RuntimeException failed) {
            client.close();
            throw failed;
        }
    }

    private static MongoClientSettings settings(StoreUrl url) {
        StoreUrl.Node node = url.nodes().getFirst();
        int timeoutMs = BareDrivers.timeoutMs(url);
        MongoClientSettings.Builder settings =
                MongoClientSettings.builder()
                        // Single servers do not support it.
                        .retryWrites(false)
                        .readConcern(ReadConcern.MAJORITY)
                        .readPreference(ReadPreference.primary())
                        .writeConcern(WriteConcern.MAJORITY.withJournal(true))
                        .applyToClusterSettings(
                                cluster ->
                                        cluster.hosts(
                                                        List.of(
                                                                new ServerAddress(
                                                                        node.host(),
                                                                        node.portOr(PORT))))
                                                .mode(ClusterConnectionMode.SINGLE)
                                                .serverSelectionTimeout(
                                                        timeoutMs, TimeUnit.MILLISECONDS))
                        .applyToSocketSettings(
                                socket ->
                                        socket.connectTimeout(timeoutMs, TimeUnit.MILLISECONDS)
                                                .readTimeout(timeoutMs, TimeUnit.MILLISECONDS));
        if (url.user().isPresent() && url.password().isPresent()) {
            settings.credential(
                    MongoCredential.createCredential(
                            url.user().get(),
                            url.option("auth-source", "admin"),
                            url.password().get().toCharArray()));
        }
        return settings.build();
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        BsonDocument row = rows.find(eq(KEY, new BsonBinary(key))).first();
        return row == null ? null : row.getBinary(VALUE).getData();
    }

    @Override
    public void put(byte[] key, byte[] value) {
        BsonBinary id = new BsonBinary(key);
        BsonDocument row = new BsonDocument(KEY, id).append(VALUE, new BsonBinary(value));
        rows.replaceOne(eq(KEY, id), row, UPSERT);
    }

    @Override
    public void close() {
        try (client) {
            rows.drop();
        }
    }
}
