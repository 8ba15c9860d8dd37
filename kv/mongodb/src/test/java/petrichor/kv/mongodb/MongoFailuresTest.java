package petrichor.kv.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.kv.StoreUrl;

/** Responses that FerretDB does not give, and the settings of all requests. */
class MongoFailuresTest {
    private static final ServerAddress SERVER = new ServerAddress("a", 1);

    @Test
    void aMissingPermissionIsDenied() {
        assertThat(MongoFailures.of("mongodb://a/x", refusal(13, "not authorized on x")))
                .satisfies(
                        denied -> {
                            assertThat(denied.code()).isEqualTo(ErrorCode.PERMISSION_DENIED);
                            assertThat(denied).hasMessageContaining("readWrite");
                        });
    }

    @Test
    void aDeposedPrimaryIsUnavailable() {
        assertThat(MongoFailures.of("mongodb://a/x", votedOut()).code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void onlyARefusalOrAnUnsentRequestMeansThatNothingWasDone() {
        assertThat(MongoFailures.nothingWasDone(refusal(13, "no"))).isTrue();
        assertThat(MongoFailures.nothingWasDone(new MongoTimeoutException("no server"))).isTrue();
        assertThat(MongoFailures.nothingWasDone(votedOut())).isFalse();
        assertThat(
                        MongoFailures.nothingWasDone(
                                new MongoSocketReadTimeoutException(
                                        "late", SERVER, new java.net.SocketTimeoutException())))
                .isFalse();
    }

    @Test
    void requestsHaveTheStrongestSettingsAndAreNotRetried() {
        var settings = MongoAddress.of(StoreUrl.parse("mongodb://a/x")).settings();
        assertThat(settings.getWriteConcern()).isEqualTo(WriteConcern.MAJORITY.withJournal(true));
        assertThat(settings.getReadConcern()).isEqualTo(ReadConcern.MAJORITY);
        assertThat(settings.getReadPreference()).isEqualTo(ReadPreference.primary());
        assertThat(settings.getRetryWrites()).isFalse();
    }

    private static MongoException refusal(int code, String text) {
        return new MongoCommandException(answer(code, text), SERVER);
    }

    private static MongoException votedOut() {
        return new MongoNotPrimaryException(answer(10107, "not primary"), SERVER);
    }

    private static BsonDocument answer(int code, String text) {
        return new BsonDocument("ok", new BsonInt32(0))
                .append("code", new BsonInt32(code))
                .append("errmsg", new BsonString(text));
    }
}
