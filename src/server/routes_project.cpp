// Projects and agents.
#include "base/metrics.h"
#include "model/answers.h"
#include "server/routes.h"

namespace lb {
namespace {

constexpr std::uint64_t kFilesDefault = 50;
constexpr std::uint64_t kFilesMax = 500;

ProjectId project_of(const HttpRequest& request) {
  return ProjectId(std::string(request.param("id")));
}

std::string query_of(const HttpRequest& request, const std::string& name) {
  const auto at = request.query.find(name);
  return at == request.query.end() ? "" : at->second;
}

asio::awaitable<HttpResponse> list_projects(Api& api, HttpRequest) {
  co_return answer(200, ProjectsBody{api.service.projects()});
}

asio::awaitable<HttpResponse> add_project(Api& api, HttpRequest request) {
  auto body = body_of<ProjectAddRequest>(request);
  if (!body) co_return error_response(body.error());
  auto added = co_await api.service.add_project(std::move(body->path));
  if (!added) co_return error_response(added.error());
  if (!added->existed) co_return answer(201, ProjectBody{added->project});
  HttpResponse exists =
      error_response({ErrorCode::ProjectExists, "this directory is a project already"});
  exists.body.pop_back();
  exists.body += ",\"projectId\":\"" + added->project.project_id.str() + "\"}";
  co_return exists;
}

asio::awaitable<HttpResponse> remove_project(Api& api, HttpRequest request) {
  co_return answer_empty(co_await api.service.remove_project(project_of(request)));
}

asio::awaitable<HttpResponse> files(Api& api, HttpRequest request) {
  auto limit = number_of(request, "limit");
  if (!limit) co_return error_response(limit.error());
  const std::uint64_t count = std::min(limit->value_or(kFilesDefault), kFilesMax);
  auto found = co_await api.service.files(project_of(request), query_of(request, "q"), count);
  if (!found) co_return error_response(found.error());
  FilesBody body;
  for (std::string& path : *found) body.files.push_back({std::move(path)});
  co_return answer(200, body);
}

asio::awaitable<HttpResponse> directories(Api& api, HttpRequest request) {
  co_return answer(200,
                   DirectoriesBody{co_await api.service.directories(query_of(request, "prefix"))});
}

asio::awaitable<HttpResponse> agents(Api& api, HttpRequest) {
  co_return answer(200, AgentsBody{co_await api.service.agents()});
}

asio::awaitable<HttpResponse> reconnect(Api& api, HttpRequest request) {
  co_return answer_empty(co_await api.service.reconnect(std::string(request.param("cliType"))),
                         202);
}

asio::awaitable<HttpResponse> warm(Api& api, HttpRequest request) {
  auto body = body_of<WarmRequest>(request);
  if (!body) co_return error_response(body.error());
  const auto warm = api.service.warm(std::string(request.param("cliType")), body->project_id);
  if (!warm) co_return error_response(warm.error());
  co_return answer(202, WarmBody{*warm});
}

}  // namespace

void add_project_routes(Router& router, Api& api) {
  router.add({"GET", "/api/project/list", "All projects, in the order added", "", "ProjectsBody",
              bind(api, list_projects)});
  router.add({"POST", "/api/project/add", "Add a directory as a project", "ProjectAddRequest",
              "ProjectBody", bind(api, add_project), 201, Access::Credential, BodyKind::Json});
  router.add({"POST", "/api/project/:id/remove", "Take a project off the list", "", "",
              bind(api, remove_project)});
  router.add({"GET",
              "/api/project/:id/files",
              "Files of a project that match",
              "",
              "FilesBody",
              bind(api, files),
              200,
              Access::Credential,
              BodyKind::None,
              {"q", "limit"}});
  router.add({"GET",
              "/api/directories",
              "Directories that begin so",
              "",
              "DirectoriesBody",
              bind(api, directories),
              200,
              Access::Credential,
              BodyKind::None,
              {"prefix"}});
  router.add(
      {"GET", "/api/agents", "The agents and how they are", "", "AgentsBody", bind(api, agents)});
  router.add({"POST", "/api/agents/:cliType/reconnect", "Try again to reach an agent", "", "",
              bind(api, reconnect), 202});
  router.add({"POST", "/api/agents/:cliType/warm", "Start an agent before a session needs it",
              "WarmRequest", "WarmBody", bind(api, warm), 202, Access::Credential, BodyKind::Json});
}

}  // namespace lb
