package petrichor.frontends.appengine.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Error.ErrorCode;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import petrichor.frontends.appengine.ServiceError;

/** Assertions on errors of the API. */
final class V3Failures {
    private V3Failures() {}

    static void fails(ErrorCode code, String detail, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ServiceError.class,
                        error -> {
                            assertThat(error.detail()).contains(detail);
                            assertThat(ErrorCode.forNumber(error.code())).isEqualTo(code);
                        });
    }
}
