package petrichor.frontends.appengine.mail;

import com.google.appengine.api.mail.MailServicePb.MailAttachment;
import com.google.appengine.api.mail.MailServicePb.MailServiceError.ErrorCode;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.mail.MailMessage;
import petrichor.services.mail.MailProblem;
import petrichor.services.mail.Outbox;

/** The API {@code mail}, over {@link Outbox}. Thread-safe. */
public final class MailApi implements BundledService {
    private static final byte[] EMPTY = new byte[0];

    private final Outbox outbox;

    public MailApi(Outbox outbox) {
        this.outbox = outbox;
    }

    @Override
    public String name() {
        return "mail";
    }

    /** Completes when the mail is durable. */
    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        String project = call.app().project();
        try {
            switch (call.method()) {
                case "Send" -> outbox.send(project, message(call.request()));
                case "SendToAdmins" -> outbox.sendToAdmins(project, message(call.request()));
                default -> throw call.unknownMethod();
            }
            return CompletableFuture.completedFuture(EMPTY);
        } catch (MailProblem problem) {
            throw new ServiceError(code(problem.reason()).getNumber(), problem.detail());
        }
    }

    private static MailMessage message(byte[] request) {
        com.google.appengine.api.mail.MailServicePb.MailMessage message;
        try {
            message = com.google.appengine.api.mail.MailServicePb.MailMessage.parseFrom(request);
        } catch (InvalidProtocolBufferException e) {
            throw PetrichorException.invalid("the request of mail cannot be decoded");
        }
        return new MailMessage(
                new MailMessage.Addresses(
                        message.getSender(),
                        message.getReplyTo().isEmpty()
                                ? Optional.empty()
                                : Optional.of(message.getReplyTo()),
                        message.getToList(),
                        message.getCcList(),
                        message.getBccList()),
                message.getSubject(),
                new MailMessage.Bodies(
                        message.hasTextBody()
                                ? Optional.of(message.getTextBody())
                                : Optional.empty(),
                        message.hasAmpHtmlBody()
                                ? Optional.of(message.getAmpHtmlBody())
                                : Optional.empty(),
                        message.hasHtmlBody()
                                ? Optional.of(message.getHtmlBody())
                                : Optional.empty()),
                message.getAttachmentList().stream().map(MailApi::attachment).toList(),
                message.getHeaderList().stream()
                        .map(header -> new MailMessage.Header(header.getName(), header.getValue()))
                        .toList());
    }

    private static MailMessage.Attachment attachment(MailAttachment file) {
        return new MailMessage.Attachment(
                file.getFileName(),
                file.getData().toByteArray(),
                file.hasContentID() ? Optional.of(file.getContentID()) : Optional.empty());
    }

    private static ErrorCode code(MailProblem.Reason reason) {
        return switch (reason) {
            case BAD_REQUEST -> ErrorCode.BAD_REQUEST;
            case UNAUTHORIZED_SENDER -> ErrorCode.UNAUTHORIZED_SENDER;
            case INVALID_ATTACHMENT_TYPE -> ErrorCode.INVALID_ATTACHMENT_TYPE;
            case INVALID_HEADER_NAME -> ErrorCode.INVALID_HEADER_NAME;
            case INVALID_CONTENT_ID -> ErrorCode.INVALID_CONTENT_ID;
        };
    }
}
