package petrichor.kv.mongodb;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.ReplaceOptions;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import petrichor.kv.RawRows;
import petrichor.kv.StoreUrl;

/** A collection of documents with a key and a value, replaced as a whole. */
final class MongoRawRows implements RawRows {
    private static final String TABLE = "raw";
    private static final ReplaceOptions UPSERT = new ReplaceOptions().upsert(true);

    private final MongoConnection connection;
    private final MongoCatalog catalogue;
    private final MongoCollection<BsonDocument> rows;

    private MongoRawRows(MongoConnection connection) {
        this.connection = connection;
        this.catalogue = new MongoCatalog(connection);
        this.rows =
                connection.call(
                        () -> {
                            catalogue.create(TABLE);
                            return catalogue.rows(TABLE);
                        });
    }

    static MongoRawRows open(StoreUrl url) {
        // The store refuses a server that loses acknowledged writes.
        MongoStore.open(url).close();
        MongoConnection connection = new MongoConnection(MongoAddress.of(url));
        try {
            return new MongoRawRows(connection);
        } catch (RuntimeException failed) {
            connection.close();
            throw failed;
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        BsonDocument row =
                connection.<@Nullable BsonDocument>call(
                        () -> rows.find(eq(RowDocument.KEY, new BsonBinary(key))).first());
        return RowDocument.value(row);
    }

    @Override
    public void put(byte[] key, byte[] value) {
        BsonBinary id = new BsonBinary(key);
        BsonDocument row =
                new BsonDocument(RowDocument.KEY, id)
                        .append(RowDocument.VALUE, new BsonBinary(value));
        connection.call(() -> rows.replaceOne(eq(RowDocument.KEY, id), row, UPSERT));
    }

    @Override
    public void close() {
        try (connection) {
            connection.run(() -> catalogue.drop(TABLE));
        }
    }
}
