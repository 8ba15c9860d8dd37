package petrichor.bench;

import com.google.apphosting.base.protos.api.RemoteApiPb;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

/** App Engine's datastore_v3 over the remote API, as implemented by Google's own local servers. */
final class RemoteApiTarget implements Target {
    private static final String APP = "dev~bench-app";

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI address;

    RemoteApiTarget(int port) {
        address = URI.create("http://127.0.0.1:" + port + "/rpc_http");
    }

    @Override
    public void put(List<Entity> entities) {
        DatastoreV3Pb.PutRequest.Builder put = DatastoreV3Pb.PutRequest.newBuilder();
        entities.forEach(entity -> put.addEntity(convert(entity)));
        call("Put", put.build());
    }

    @Override
    public void get(long number) {
        found(DatastoreV3Pb.GetRequest.newBuilder().addKey(key(number)).build(), number);
    }

    @Override
    public void query(long group, int expected) {
        ByteString bytes =
                call(
                        "RunQuery",
                        DatastoreV3Pb.Query.newBuilder()
                                .setApp(APP)
                                .setKind(SampleData.KIND)
                                .setLimit(SampleData.GROUP_SIZE)
                                .setCount(SampleData.GROUP_SIZE)
                                .addFilter(
                                        DatastoreV3Pb.Query.Filter.newBuilder()
                                                .setOp(DatastoreV3Pb.Query.Filter.Operator.EQUAL)
                                                .addProperty(
                                                        OnestoreEntity.Property.newBuilder()
                                                                .setName("group")
                                                                .setMultiple(false)
                                                                .setValue(
                                                                        OnestoreEntity.PropertyValue
                                                                                .newBuilder()
                                                                                .setInt64Value(
                                                                                        group))))
                                .build());
        try {
            int results = DatastoreV3Pb.QueryResult.parseFrom(bytes).getResultCount();
            if (results != expected) {
                throw new IllegalStateException(
                        "group " + group + ": " + results + " results, not " + expected);
            }
        } catch (InvalidProtocolBufferException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public void transaction(long number, long revision) {
        try {
            DatastoreV3Pb.Transaction transaction =
                    DatastoreV3Pb.Transaction.parseFrom(
                            call(
                                    "BeginTransaction",
                                    DatastoreV3Pb.BeginTransactionRequest.newBuilder()
                                            .setApp(APP)
                                            .build()));
            found(
                    DatastoreV3Pb.GetRequest.newBuilder()
                            .addKey(key(number))
                            .setTransaction(transaction)
                            .build(),
                    number);
            call(
                    "Put",
                    DatastoreV3Pb.PutRequest.newBuilder()
                            .addEntity(convert(SampleData.entity(number, revision)))
                            .setTransaction(transaction)
                            .build());
            call("Commit", transaction);
        } catch (InvalidProtocolBufferException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private void found(DatastoreV3Pb.GetRequest request, long number) {
        try {
            if (!DatastoreV3Pb.GetResponse.parseFrom(call("Get", request))
                    .getEntity(0)
                    .hasEntity()) {
                throw new IllegalStateException("entity " + number + " is not there");
            }
        } catch (InvalidProtocolBufferException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private ByteString call(String method, MessageLite request) {
        byte[] body =
                RemoteApiPb.Request.newBuilder()
                        .setServiceName("datastore_v3")
                        .setMethod(method)
                        .setRequest(request.toByteString())
                        .setRequestId("bench")
                        .build()
                        .toByteArray();
        HttpRequest post =
                HttpRequest.newBuilder(address)
                        .header("Content-Type", "application/octet-stream")
                        .header("X-Google-RPC-Service-Endpoint", "app-engine-apis")
                        .header("X-Google-RPC-Service-Method", "/VMRemoteAPI.CallRemoteAPI")
                        .header("X-Google-RPC-Service-Deadline", "60")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build();
        try {
            HttpResponse<byte[]> answer = http.send(post, HttpResponse.BodyHandlers.ofByteArray());
            RemoteApiPb.Response response = RemoteApiPb.Response.parseFrom(answer.body());
            if (answer.statusCode() != 200
                    || response.hasApplicationError()
                    || response.hasRpcError()
                    || response.hasJavaException()) {
                throw new IllegalStateException(method + " failed: " + response);
            }
            return response.getResponse();
        } catch (IOException failure) {
            throw new IllegalStateException(method + " failed", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private static OnestoreEntity.Reference key(long number) {
        return OnestoreEntity.Reference.newBuilder().setApp(APP).setPath(path(number)).build();
    }

    private static OnestoreEntity.Path path(long number) {
        return OnestoreEntity.Path.newBuilder()
                .addElement(
                        OnestoreEntity.Path.Element.newBuilder()
                                .setType(SampleData.KIND)
                                .setId(number + 1))
                .build();
    }

    private static OnestoreEntity.EntityProto convert(Entity entity) {
        long number = entity.getKey().getPath(0).getId() - 1;
        OnestoreEntity.EntityProto.Builder converted =
                OnestoreEntity.EntityProto.newBuilder()
                        .setKey(key(number))
                        .setEntityGroup(path(number));
        for (Map.Entry<String, Value> entry : entity.getPropertiesMap().entrySet()) {
            Value value = entry.getValue();
            OnestoreEntity.PropertyValue.Builder raw = OnestoreEntity.PropertyValue.newBuilder();
            if (value.hasIntegerValue()) {
                raw.setInt64Value(value.getIntegerValue());
            } else {
                raw.setStringValue(value.getStringValue());
            }
            OnestoreEntity.Property property =
                    OnestoreEntity.Property.newBuilder()
                            .setName(entry.getKey())
                            .setMultiple(false)
                            .setValue(raw)
                            .build();
            if (value.getExcludeFromIndexes()) {
                converted.addRawProperty(property);
            } else {
                converted.addProperty(property);
            }
        }
        return converted.build();
    }

    @Override
    public void close() {
        http.close();
    }
}
