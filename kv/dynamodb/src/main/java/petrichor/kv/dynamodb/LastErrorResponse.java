package petrichor.kv.dynamodb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttribute;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;

/**
 * Keeps DynamoDB's last response to a request that the SDK retries until its timeout: the SDK
 * itself then reports only the timeout, as if there had been no response.
 */
final class LastErrorResponse implements ExecutionInterceptor {
    private static final ExecutionAttribute<String> LAST =
            new ExecutionAttribute<>("petrichor.LastRefusal");

    private static final Pattern CODE = Pattern.compile("\"__type\"\\s*:\\s*\"(?:[^\"]*#)?(\\w+)");
    private static final int REFUSAL_STATUS_MIN = 400;
    private static final int TEXT_BYTES_MAX = 64 << 10;

    @Override
    public Optional<InputStream> modifyHttpResponseContent(
            Context.ModifyHttpResponse answer, ExecutionAttributes request) {
        Optional<InputStream> body = answer.responseBody();
        int status = answer.httpResponse().statusCode();
        if (status < REFUSAL_STATUS_MIN || body.isEmpty()) {
            return body;
        }
        try (InputStream stream = body.get()) {
            byte[] text = stream.readNBytes(TEXT_BYTES_MAX);
            Matcher code = CODE.matcher(new String(text, UTF_8));
            request.putAttribute(LAST, code.find() ? code.group(1) : "status " + status);
            return Optional.of(new ByteArrayInputStream(text));
        } catch (IOException cut) {
            throw RetryableException.create("the response was truncated", cut);
        }
    }

    @Override
    public Throwable modifyException(Context.FailedExecution failed, ExecutionAttributes request) {
        String last = request.getAttribute(LAST);
        if (last == null || !(failed.exception() instanceof ApiCallTimeoutException over)) {
            return failed.exception();
        }
        return ApiCallTimeoutException.builder()
                .message("its last response was " + last + "; then the request timed out")
                .cause(over)
                .build();
    }
}
