package petrichor.server.admin;

import com.google.longrunning.CancelOperationRequest;
import com.google.longrunning.DeleteOperationRequest;
import com.google.longrunning.GetOperationRequest;
import com.google.longrunning.ListOperationsRequest;
import com.google.longrunning.ListOperationsResponse;
import com.google.longrunning.Operation;
import com.google.protobuf.Empty;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabase;
import petrichor.entities.EntityDatabases;

/**
 * Serves google.longrunning.Operations for the default database of a project. The {@link
 * OperationOwner} of an operation implements it. Thread-safe; calls block.
 */
final class OperationAdmin {
    private static final Pattern PARENT = Pattern.compile("projects/([^/]+)(/operations)?/?");
    private static final Pattern OPERATION = Pattern.compile("projects/([^/]+)/operations/[^/]+");

    private static final Pattern NAMED =
            Pattern.compile("projects/([^/]+)(?:/operations(?:/[^/]+)?)?/?");

    private final Supplier<EntityDatabases> databases;
    private final List<OperationOwner> owners;

    OperationAdmin(Supplier<EntityDatabases> databases, List<OperationOwner> owners) {
        this.databases = databases;
        this.owners = List.copyOf(owners);
    }

    Operation get(GetOperationRequest request) {
        EntityDatabase database = database(OPERATION, request.getName());
        OperationLog log = new OperationLog(database);
        return settled(database, log, log.get(request.getName()));
    }

    ListOperationsResponse list(ListOperationsRequest request) {
        EntityDatabase database = database(PARENT, request.getName());
        OperationLog log = new OperationLog(database);
        ListOperationsResponse.Builder all = ListOperationsResponse.newBuilder();
        log.all().forEach(operation -> all.addOperations(settled(database, log, operation)));
        return all.build();
    }

    Empty delete(DeleteOperationRequest request) {
        EntityDatabase database = database(OPERATION, request.getName());
        OperationLog log = new OperationLog(database);
        if (!settled(database, log, log.get(request.getName())).getDone()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The operation is still running; cancel it or wait until it is done.");
        }
        log.remove(request.getName());
        return Empty.getDefaultInstance();
    }

    Empty cancel(CancelOperationRequest request) {
        EntityDatabase database = database(OPERATION, request.getName());
        OperationLog log = new OperationLog(database);
        Operation operation = settled(database, log, log.get(request.getName()));
        if (!operation.getDone()) {
            owner(operation).cancel(database, log, operation);
        }
        return Empty.getDefaultInstance();
    }

    private Operation settled(EntityDatabase database, OperationLog log, Operation operation) {
        return operation.getDone() ? operation : owner(operation).settled(database, log, operation);
    }

    private OperationOwner owner(Operation operation) {
        return owners.stream()
                .filter(one -> one.owns(operation))
                .findFirst()
                .orElseThrow(
                        () ->
                                PetrichorException.of(
                                        ErrorCode.INTERNAL,
                                        "The list of operations has an entry of an unknown type:"
                                                + " {typeUrl}",
                                        "typeUrl",
                                        operation.getMetadata().getTypeUrl()));
    }

    /** The project in the name of an operation, or of a list of operations. */
    static String project(String name) {
        return project(NAMED, name);
    }

    private static String project(Pattern form, String name) {
        Matcher matcher = form.matcher(name);
        if (!matcher.matches()) {
            throw PetrichorException.invalid(
                    "\"{name}\" is not the name of an operation.", "name", name);
        }
        return matcher.group(1);
    }

    private EntityDatabase database(Pattern form, String name) {
        return databases.get().open(project(form, name), "");
    }
}
