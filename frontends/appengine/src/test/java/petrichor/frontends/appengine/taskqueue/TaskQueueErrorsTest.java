package petrichor.frontends.appengine.taskqueue;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueServiceError;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.OverQuota;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.ServiceError;

class TaskQueueErrorsTest {
    /** The call itself fails with OVER_QUOTA, which SDKs raise as OverQuotaError. */
    @Test
    void aQuotaOfTheAppIsNoErrorOfTheApi() {
        PetrichorException over = OverQuota.of("demo", "tasks", "60/min");
        assertThat(TaskQueueErrors.of(over)).isSameAs(over);
    }

    @Test
    void aLimitOfTheServerIsTransient() {
        PetrichorException full =
                PetrichorException.of(ErrorCode.RESOURCE_EXHAUSTED, "no memory for the task");
        assertThat(TaskQueueErrors.of(full))
                .isInstanceOfSatisfying(
                        ServiceError.class,
                        error ->
                                assertThat(error.code())
                                        .isEqualTo(
                                                TaskQueueServiceError.ErrorCode
                                                        .TRANSIENT_ERROR_VALUE));
    }
}
