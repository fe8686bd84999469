/// A method of Session or SessionService becomes the handler of a command.
///
///     command<SessionSendRequest, &Session::send>({.name = "session:send", …})
///
/// The request is decoded here and nowhere else, so what cannot be parsed is refused in one place
/// for HTTP and WebSocket alike. A method of Session finds its session by the request's sessionId,
/// awake. It may take the request, the request and the Caller, the sessionId alone, or nothing; and
/// return a value, a Result or a coroutine of either. Included by table.cpp only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "base/codec.h"
#include "commands/answer_text.h"
#include "commands/command.h"
#include "session/service/session_service.h"

namespace lb {

using Answering = asio::awaitable<Result<std::string>>;

/// What is known already, as a coroutine.
Answering known(Result<std::string> answer);

namespace binding {

/// Whose method it is; a plain function has the service as its first argument.
template <class Method>
struct OwnerOf {
  using Type = SessionService;
};
template <class Returned, class Owner, class... Arguments>
struct OwnerOf<Returned (Owner::*)(Arguments...)> {
  using Type = Owner;
};
template <class Returned, class Owner, class... Arguments>
struct OwnerOf<Returned (Owner::*)(Arguments...) const> {
  using Type = Owner;
};

/// What a method answers, without coroutine and Result.
template <class T>
struct AnswerOf {
  using Type = T;
};
template <class T>
struct AnswerOf<Result<T>> {
  using Type = T;
};
template <class T>
struct AnswerOf<asio::awaitable<T>> : AnswerOf<T> {};

template <auto Method, class Owner, class Request>
auto call(Owner& owner, Request request, const Caller& caller) {
  if constexpr (std::is_invocable_v<decltype(Method), Owner&, Request, Caller>) {
    return std::invoke(Method, owner, std::move(request), caller);
  } else if constexpr (std::is_invocable_v<decltype(Method), Owner&, Request>) {
    return std::invoke(Method, owner, std::move(request));
  } else if constexpr (std::is_invocable_v<decltype(Method), Owner&>) {
    return std::invoke(Method, owner);
  } else {
    return std::invoke(Method, owner, std::move(request.session_id));
  }
}

template <class T>
Result<std::string> written(const Result<T>& result) {
  if (!result) return std::unexpected(result.error());
  if constexpr (std::is_void_v<T>) {
    return "{}";
  } else {
    return AnswerText<T>::text(*result);
  }
}
template <class T>
Result<std::string> written(const T& value) {
  return AnswerText<T>::text(value);
}

/// `keep` is the session whose coroutine this is: it must not be suspended before that has begun.
template <class T>
Answering finish([[maybe_unused]] std::shared_ptr<Session> keep, asio::awaitable<T> running) {
  co_return written(co_await std::move(running));
}
template <class T>
Answering finish(const std::shared_ptr<Session>&, const T& value) {
  return known(written(value));
}

template <class Request, auto Method>
Answering handle(SessionService& service, const json::value& fields, const Caller& caller) {
  auto request = decode<Request>(fields);
  if (!request) return known(std::unexpected(std::move(request.error())));
  using Owner = OwnerOf<decltype(Method)>::Type;
  if constexpr (std::is_same_v<Owner, Session>) {
    const auto session = service.find(request->session_id);
    if (!session) return known(std::unexpected(session.error()));
    if constexpr (std::is_void_v<decltype(call<Method>(**session, std::move(*request), caller))>) {
      call<Method>(**session, std::move(*request), caller);
      return known("{}");
    } else {
      return finish(*session, call<Method>(**session, std::move(*request), caller));
    }
  } else {
    return finish(nullptr, call<Method>(service, std::move(*request), caller));
  }
}

/// The row with what its types say; `Shape` is the described answer, void for none.
template <class Request, class Shape>
ClientCommand shaped(Row row) {
  ClientCommand command;
  command.row = row;
  command.name = row.name;
  command.method = row.http.substr(0, row.http.find(' '));
  command.path = row.http.empty() ? row.http : row.http.substr(row.http.find(' ') + 1);
  command.describe = [](ShapeCatalogue& all) {
    all.add<Request>();
    if constexpr (!std::is_void_v<Shape>) all.add<Shape>();
  };
  command.request = Request::kName;
  if constexpr (!std::is_void_v<Shape>) command.response = Shape::kName;
  ShapeCatalogue own;
  own.add<Request>();
  command.fields = own.types().back().fields;
  return command;
}

}  // namespace binding

/// A command that sessions do.
template <class Request, auto Method>
ClientCommand command(Row row) {
  using Owner = binding::OwnerOf<decltype(Method)>::Type;
  using Returned = decltype(binding::call<Method>(std::declval<Owner&>(), std::declval<Request>(),
                                                  std::declval<const Caller&>()));
  using Shape = AnswerText<typename binding::AnswerOf<Returned>::Type>::Shape;
  ClientCommand out = binding::shaped<Request, Shape>(row);
  out.handler = binding::handle<Request, Method>;
  if constexpr (requires { Shape::kType; }) out.reply = Shape::kType;
  return out;
}

/// What the server does itself over HTTP, found by its name (server/http/routes.h).
template <class Request, class Shape = void>
ClientCommand of_server(Row row) {
  return binding::shaped<Request, Shape>(row);
}

/// What belongs to one WebSocket (server/websocket/client_requests.cpp).
template <class Request, class Message>
ClientCommand of_connection(ConnectionCommand which, Row row) {
  ClientCommand out = binding::shaped<Request, Message>(row);
  out.of_connection = which;
  out.reply = Message::kType;
  return out;
}

}  // namespace lb
