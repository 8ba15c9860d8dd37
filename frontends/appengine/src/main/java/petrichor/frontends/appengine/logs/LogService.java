package petrichor.frontends.appengine.logs;

import com.google.apphosting.api.logservice.LogServicePb.FlushRequest;
import com.google.apphosting.api.logservice.LogServicePb.LogLine;
import com.google.apphosting.api.logservice.LogServicePb.LogOffset;
import com.google.apphosting.api.logservice.LogServicePb.LogReadRequest;
import com.google.apphosting.api.logservice.LogServicePb.LogReadResponse;
import com.google.apphosting.api.logservice.LogServicePb.LogServiceError.ErrorCode;
import com.google.apphosting.api.logservice.LogServicePb.RequestLog;
import com.google.apphosting.api.logservice.LogServicePb.UserAppLogGroup;
import com.google.apphosting.api.logservice.LogServicePb.UserAppLogLine;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;

/**
 * The API {@code logservice}. Lines go to the server's log at debug level, as {@code
 * petrichor.apps}, and the newest ones of each app stay in memory for reading. Thread-safe.
 */
public final class LogService implements BundledService {
    private static final Logger APPS = LoggerFactory.getLogger("petrichor.apps");

    private static final int LINES_PER_FLUSH_MAX = 1_000;
    private static final int LINE_CHARACTERS_MAX = 8 << 10;
    private static final int RECORDS_PER_READ = 20;
    private static final int RECORDS_PER_READ_MAX = 1_000;

    /** More apps at one time do not keep their lines. */
    private static final int APPS_MAX = 10_000;

    private final MemoryBudget memory;
    private final TimeSource time;
    private final AtomicLong lastId;
    private final ConcurrentMap<String, AppLog> logs = new ConcurrentHashMap<>();

    /**
     * @param memory for the lines of all apps
     */
    public LogService(MemoryBudget memory, TimeSource time) {
        this.memory = memory;
        this.time = time;
        this.lastId = new AtomicLong(time.epochMicros());
    }

    @Override
    public String name() {
        return "logservice";
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        byte[] answer =
                switch (call.method()) {
                    case "Flush" -> {
                        flush(call.app(), call.parsed(FlushRequest.parser()));
                        yield new byte[0];
                    }
                    // The status of the request; the server knows it from the response.
                    case "SetStatus" -> new byte[0];
                    case "Read" ->
                            read(call.app(), call.parsed(LogReadRequest.parser())).toByteArray();
                    default -> throw call.unknownMethod();
                };
        return CompletableFuture.completedFuture(answer);
    }

    private void flush(CallingApp app, FlushRequest request) {
        List<UserAppLogLine> lines;
        try {
            lines = UserAppLogGroup.parseFrom(request.getLogs()).getLogLineList();
        } catch (InvalidProtocolBufferException damaged) {
            throw new ServiceError(
                    ErrorCode.INVALID_REQUEST_VALUE, "the logs are not a UserAppLogGroup");
        }
        long now = time.epochMicros();
        String id = "%016x".formatted(lastId.incrementAndGet());
        RequestLog.Builder record =
                RequestLog.newBuilder()
                        .setAppId(app.project())
                        .setModuleId(app.service())
                        .setVersionId(app.version())
                        .setRequestId(ByteString.copyFromUtf8(id))
                        .setOffset(LogOffset.newBuilder().setRequestId(ByteString.copyFromUtf8(id)))
                        .setStartTime(now)
                        .setEndTime(now)
                        .setIp("")
                        .setLatency(0)
                        .setMcycles(0)
                        .setMethod("")
                        .setResource("")
                        .setHttpVersion("")
                        .setStatus(0)
                        .setResponseSize(0)
                        .setUrlMapEntry("")
                        .setCombined("");
        for (UserAppLogLine line : lines.subList(0, Math.min(lines.size(), LINES_PER_FLUSH_MAX))) {
            String message = shortened(line.getMessage());
            APPS.debug("{} {}: {}", app.project(), app.version(), message);
            record.addLine(
                    LogLine.newBuilder()
                            .setTime(line.getTimestampUsec())
                            .setLevel((int) line.getLevel())
                            .setLogMessage(message));
        }
        AppLog log = logs.get(app.project());
        if (log == null && logs.size() < APPS_MAX) {
            log = logs.computeIfAbsent(app.project(), _ -> new AppLog(memory));
        }
        if (log != null) {
            log.add(record.build());
        }
    }

    private static String shortened(String message) {
        return message.length() <= LINE_CHARACTERS_MAX
                ? message
                : message.substring(0, LINE_CHARACTERS_MAX);
    }

    private LogReadResponse read(CallingApp app, LogReadRequest request) {
        try {
            app.require(request.getAppId());
        } catch (PetrichorException other) {
            throw new ServiceError(
                    ErrorCode.INVALID_REQUEST_VALUE, String.valueOf(other.getMessage()));
        }
        AppLog log = logs.get(app.project());
        int count =
                request.hasCount()
                        ? Math.clamp(request.getCount(), 1, RECORDS_PER_READ_MAX)
                        : RECORDS_PER_READ;
        List<RequestLog> found =
                log == null ? List.of() : log.newest(count, record -> matches(record, request));
        LogReadResponse.Builder response = LogReadResponse.newBuilder();
        for (RequestLog record : found) {
            response.addLog(
                    request.getIncludeAppLogs() ? record : record.toBuilder().clearLine().build());
        }
        if (found.size() == count) {
            response.setOffset(found.getLast().getOffset());
        }
        return response.build();
    }

    private static boolean matches(RequestLog record, LogReadRequest request) {
        String id = record.getRequestId().toStringUtf8();
        return (!request.hasStartTime() || record.getEndTime() >= request.getStartTime())
                && (!request.hasEndTime() || record.getEndTime() < request.getEndTime())
                && (!request.hasOffset()
                        || id.compareTo(request.getOffset().getRequestId().toStringUtf8()) < 0)
                && (request.getRequestIdCount() == 0
                        || request.getRequestIdList().contains(record.getRequestId()))
                && (!request.hasMinimumLogLevel()
                        || record.getLineList().stream()
                                .anyMatch(line -> line.getLevel() >= request.getMinimumLogLevel()));
    }
}
